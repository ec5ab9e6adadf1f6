package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// recoverVerb makes a sound file of a damaged one.
type recoverVerb struct {
	verb.Replacing
	verb.Outcome
	output, format string
}

func newRecover() *cobra.Command {
	var v recoverVerb
	cmd := &cobra.Command{
		Use:   "recover IN OUT",
		Short: "Make a sound file of a damaged one, or of one that was never finished",
		Long: `Make a sound file OUT of what is intact in IN: a Pando file that is damaged or torn off, or the
OUT.part that a writer left which was killed. Blocks are found by their frames, not by the
directory; the events of all slices that can be decoded are written again, with a new directory,
new spanning calls and messages, summaries, bins and postings; in slices, lanes, nodes and epochs
of the size that they have in IN, as far as that can be told. Calls and messages are those of the
events that are left. After a gap, ends of messages have no partner until a pair is certain.

IN is not changed, and stays. If IN is OUT.part, OUT.saved.part is written until OUT is complete; an
OUT.part that is still being written is refused. Into another OUT, what such an IN holds by now can be
saved, and the outcome names the process that is writing it.

Events of a location whose id is lost are saved under one that is made up (2^48 and more), with a
definition that says so. What was lost is told by location and time: the lost events lie between the location's last event
before and the first one after them. The exit code is 0 if nothing was lost, 4 if anything was, or
may have been: of a file without its end nobody knows what would have come.`,
		Example: `  pando recover run.pando.part run.pando
  pando recover damaged.pando saved.pando --json`,
		Args: inAndOut(&v.output),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.run(cmd.OutOrStdout(), args[0], outOf(v.output, args))
		},
	}
	verb.AddOutput(cmd, &v.output, "write to `OUT`, NAME.pando (help outputs)")
	verb.AddFormat(cmd, &v.format, verb.InFormat, recoverFormats())
	v.AddReplacing(cmd, "OUT")
	v.AddOutcome(cmd)
	return cmd
}

// recoverFormats are the formats that files are recovered in: that of Pando files.
func recoverFormats() []outputs.Format { return traceFormats()[:1] }

// check refuses inputs and outputs that cannot be.
func (v *recoverVerb) check(from, to string) error {
	if from == outputs.Standard || to == outputs.Standard {
		return verb.Usagef("-: a damaged file is searched from both ends, and the saved one read again: name files")
	}
	if err := verb.CheckOutput(to, v.Force); err != nil {
		return err
	}
	if _, err := outputs.Choose("a recovered file", to, v.format, recoverFormats()); err != nil {
		return verb.Usage(err)
	}
	return nil
}

func (v *recoverVerb) run(out io.Writer, from, to string) error {
	if err := v.check(from, to); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	writer, writing := claim.Writer(from)
	found, err := v.recover(ctx, from, to)
	if err != nil {
		return err
	}
	made, err := verb.Open(to)
	if err != nil {
		return err
	}
	defer made.Close()
	r := report.NewRecovery(from, made, found)
	if writing {
		r.WrittenBy = new(writer.String())
	}
	err = v.Tell(out, r)
	if err == nil && !r.Lossless {
		err = verb.Part(fmt.Errorf("%s: not everything could be saved", from))
	}
	return err
}

// recover writes all intact parts of a file into a new one. After an error there is no output.
func (v *recoverVerb) recover(ctx context.Context, from, to string) (*store.RecoverReport, error) {
	if info, err := os.Stat(from); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "recover", Path: from, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if same, err := os.Stat(to); err == nil && os.SameFile(info, same) {
		return nil, verb.Usagef("%s: a file is not recovered into itself", from)
	}
	output := v.Replacing.Options()
	if err := claim.CheckFrom(info, to, output); err != nil {
		return nil, err
	}
	var writing *progress.Bar
	searching := v.Bar("searching", "bytes", info.Size())
	report, err := store.Recover(ctx, f, info.Size(), to, store.RecoverOptions{
		Read: store.ReadOptions{Name: from}, Output: output, Searching: searching.Report,
		Writing: func(done, total int64) {
			if writing == nil {
				searching.Done()
				writing = v.Bar("writing", "slices", total)
			}
			writing.Report(done, total)
		},
	})
	searching.Done()
	writing.Done()
	return report, err
}
