package analyses

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/patterns"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace/annotation"
)

// annotationsVerb lists the annotations of a file, or removes some.
type annotationsVerb struct {
	verb.Outcome
	discard bool
	remove  []string
}

// NewAnnotations makes the verb annotations.
func NewAnnotations() *cobra.Command {
	v := &annotationsVerb{}
	cmd := &cobra.Command{
		Use:   "annotations FILE",
		Short: "List the patterns that were kept in a file, or remove some",
		Long: `List the annotations of a Pando file: patterns of messages and of calls that pando patterns --save has
kept in it, each with its class, its window, and what was said of it.

--remove NAME removes the annotation of a name, and those below it: --remove solver removes
solver/2/calls, too. FILE is written anew without them, and renamed when it is complete; the trace
itself stays as it is.`,
		Example: `  pando annotations run.pando
  pando annotations run.pando --json
  pando annotations run.pando --remove halo --remove solver`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&v.remove, "remove", nil, "remove the annotation of this `NAME`, and those below it; several times for several")
	f.BoolVar(&v.discard, "discard", false, "with --remove: remove the unfinished FILE.part that a writer that is gone has left")
	v.AddOutcome(cmd)
	verb.CompleteFixed(cmd, "remove", nil)
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *annotationsVerb) run(out io.Writer, path string) error {
	if len(v.remove) > 0 && (path == outputs.Standard || remote.IsURL(path)) {
		return verb.Usagef("--remove writes into FILE, which must be a file of this machine")
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	f, err := verb.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(v.remove) == 0 {
		return v.TellBy(out, patterns.KeptIn(f, func(*annotation.Annotation) bool { return true }).Write)
	}
	removed, err := v.without(ctx, f)
	if err != nil {
		return err
	}
	return v.TellBy(out, removed.WriteRemoved)
}

// without removes annotations from a file.
func (v *annotationsVerb) without(ctx context.Context, f *report.Trace) (*patterns.Kept, error) {
	if f.Unfinished() {
		return nil, verb.Usagef("--remove: %s has no end yet", f.Path)
	}
	list := f.Meta().Annotations
	for _, name := range v.remove {
		if !slices.ContainsFunc(f.Meta().Annotations, func(a annotation.Annotation) bool { return a.Is(name) }) {
			return nil, fmt.Errorf("%s: no annotation is called %q; pando annotations %[1]s lists them", f.Path, name)
		}
		list = annotation.Without(list, name)
	}
	removed := patterns.KeptIn(f, func(a *annotation.Annotation) bool { return annotation.Find(list, a.Name) == nil })
	if err := annotate(ctx, f, list, v.discard); err != nil {
		return nil, fmt.Errorf("--remove: %w", err)
	}
	return removed, nil
}
