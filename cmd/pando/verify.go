package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// verifyVerb checks a file.
type verifyVerb struct {
	verb.Answering
	deep, quiet bool
	sample      string
}

func newVerify() *cobra.Command {
	v := &verifyVerb{}
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a Pando file from begin to end",
		Long: `Check a Pando file. The exit code is 1 if anything is wrong.

Without a flag, the file is read from begin to end, and every block is decoded. Checked are: every
checksum; the order of the blocks and their number; that the directory lists these blocks and no others,
and that each is of the group, slice, node, lane or page that the directory says; that totals, postings,
calls, messages, hashes and ends without a partner refer only to locations, slices, lanes and kinds that
are there; that the events of a slice lie in its time, and are as many as directory and totals say; that
summaries and bins are what the slices add up to; that hashes of higher nodes are those of lower ones;
that locations and lanes are those of the definitions; and the fingerprint of the events.

With --deep, all of that, and what follows from the events is worked out again: which calls enclose
which, which sends and receives belong together, and what totals, postings, hashes and ends without
a partner must be. Also that the file describes its kinds of records as readers use them, and that
it has no second way of saying a thing, as the format's description asks of writers.

With --sample, the directory and a share of all other blocks: each is decoded and checked as without
a flag, but for what only all blocks together tell (order, numbers, totals and fingerprint).`,
		Example: `  pando verify run.pando --deep
  pando verify run.pando --sample 2%`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().BoolVar(&v.deep, "deep", false, "hold all that follows from the events against them, see above")
	cmd.Flags().StringVar(&v.sample, "sample", "", "check the directory and `N%` of all other blocks, chosen at random")
	v.AddAnswer(cmd, "print the outcome as JSON", verb.TextFormat, verb.JSONFormat)
	verb.AddQuiet(cmd, &v.quiet, "print no outcome: the exit code tells it")
	verb.CompleteFixed(cmd, "sample", nil)
	verb.CompleteFiles(cmd)
	return cmd
}

// share reads the share of blocks to be checked, 1 for all.
func (v *verifyVerb) share() (float64, error) {
	if v.sample == "" {
		return 1, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(v.sample, "%"), 64)
	if err != nil || !(percent > 0 && percent <= 100) {
		return 0, verb.Usagef("--sample %q is no share: write 5%%", v.sample)
	}
	if v.deep {
		return 0, verb.Usagef("--deep and --sample exclude each other")
	}
	return percent / 100, nil
}

func (v *verifyVerb) run(out io.Writer, path string) error {
	share, err := v.share()
	if err == nil {
		err = v.Choose()
	}
	if err != nil {
		return err
	}
	if v.quiet && v.Output != "" {
		return verb.Usagef("--quiet prints nothing that --output could take")
	}
	verdict := report.Verdict{File: path, Problems: []report.Problem{}}
	if err := v.check(&verdict, share); err != nil {
		return err
	}
	if !v.quiet {
		err = v.Write(out, &verdict)
	}
	if err == nil && !verdict.Sound {
		err = fmt.Errorf("%s: %s", path, report.Plural(len(verdict.Problems), "problem", "problems"))
	}
	return err
}

// check reads the file. A file that cannot be opened because of damage has one problem.
func (v *verifyVerb) check(to *report.Verdict, share float64) error {
	r, err := verb.OpenFile(to.File)
	if err != nil {
		return to.Add(err)
	}
	defer r.Close()
	bar := (*progress.Bar)(nil)
	if !v.quiet {
		bar = progress.New("verifying", "bytes", r.Info().FileBytes)
	}
	opt := store.VerifyOptions{Progress: bar.Report}
	if v.deep {
		opt.Level = store.VerifyDeep
	} else if share < 1 {
		opt.Sample = share
	}
	found, err := r.Verify(context.Background(), opt)
	bar.Done()
	if found != nil {
		to.Blocks, to.Bytes = found.Blocks, found.Bytes
		for _, p := range found.Problems {
			err = errors.Join(err, to.Add(p))
		}
	}
	to.Sound = err == nil && len(to.Problems) == 0
	return err
}
