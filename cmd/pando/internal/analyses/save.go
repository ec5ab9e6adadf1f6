package analyses

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace/annotation"
)

// saving are the flags that keep what is found as an annotation of the file.
type saving struct{ name, text string }

// add adds the flags.
func (s *saving) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.name, "save", "", "keep what is found in FILE as annotations of this `NAME`; --force replaces them")
	cmd.Flags().StringVar(&s.text, "text", "", "with --save: what is said of it (`TEXT`)")
	verb.CompleteFixed(cmd, "save", nil)
	verb.CompleteFixed(cmd, "text", nil)
}

// check finds fault with the flags.
func (s *saving) check(path string) error {
	switch {
	case s.name == "" && s.text != "":
		return verb.Usagef("--text belongs to --save NAME")
	case s.name == "":
		return nil
	case path == outputs.Standard || remote.IsURL(path):
		return verb.Usagef("--save writes into FILE, which must be a file of this machine")
	case !utf8.ValidString(s.name) || !utf8.ValidString(s.text):
		return verb.Usagef("--save and --text are in UTF-8")
	case max(len(s.name), len(s.text)) > annotation.MostBytes:
		return verb.Usagef("--save and --text have %d bytes at most", annotation.MostBytes)
	}
	return nil
}

// save adds annotations to a file, in place of those that have the name or are below it.
func (s *saving) save(ctx context.Context, f *report.Trace, more []annotation.Annotation, r verb.Replacing) error {
	if f.Unfinished() {
		return verb.Usagef("--save: %s has no end yet", f.Path)
	}
	list := annotation.Without(f.Meta().Annotations, s.name)
	if len(list) < len(f.Meta().Annotations) && !r.Force {
		return fmt.Errorf("%s has an annotation %q; --force replaces it", f.Path, s.name)
	}
	for _, a := range more {
		list = annotation.With(list, a)
	}
	if err := annotate(ctx, f, list, r.Discard); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return nil
}

// annotate gives a file other annotations: it is written anew, and renamed when it is complete.
func annotate(ctx context.Context, f *report.Trace, list []annotation.Annotation, discard bool) error {
	bar := progress.New("writing", "bytes", f.Info().FileBytes)
	defer bar.Done()
	return store.Annotate(ctx, f.Path, f.Path, list, store.OutputOptions{Discard: discard}, bar.Report)
}
