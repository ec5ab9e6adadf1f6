package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
)

// verifyVerb checks a file.
type verifyVerb struct {
	json, deep bool
	sample     string
}

func newVerify() *cobra.Command {
	v := &verifyVerb{}
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a Pando file from begin to end",
		Long: `Read a Pando file from begin to end: every checksum, the order of the blocks, that each can be
decoded, that the directory describes exactly them, that summaries and bins are what the slices add
up to, and that the events are those of the fingerprint. Of totals, postings, calls, messages and
ends of messages without a partner it checks that they can be read, and refer only to what is there.
With --deep, also that they are those of the events: which calls enclose which, and which sends and
receives belong together, is worked out again. With --sample, only the directory and a share of all
other blocks. The exit code is 1 if anything is wrong.`,
		Example: `  pando verify run.pando --deep
  pando verify run.pando --sample 2%`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().BoolVar(&v.deep, "deep", false, "hold totals, postings, calls and messages against the events")
	cmd.Flags().StringVar(&v.sample, "sample", "", "check the directory and `N%` of all other blocks, chosen at random")
	addJSON(cmd, &v.json, "print the outcome as JSON")
	return cmd
}

// share reads the share of blocks to be checked, 1 for all.
func (v *verifyVerb) share() (float64, error) {
	if v.sample == "" {
		return 1, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(v.sample, "%"), 64)
	if err != nil || !(percent > 0 && percent <= 100) {
		return 0, usagef("--sample %q is no share: write 5%%", v.sample)
	}
	if v.deep {
		return 0, usagef("--deep and --sample exclude each other")
	}
	return percent / 100, nil
}

// verdict is the outcome of a check.
type verdict struct {
	File     string    `json:"file"`
	Sound    bool      `json:"sound"`
	Blocks   int64     `json:"blocks"`
	Bytes    int64     `json:"bytes"`
	Problems []problem `json:"problems"`
}

// problem is one thing that is wrong; Offset is null where it is not known.
type problem struct {
	Section string `json:"section"`
	Offset  *int64 `json:"offset"`
	Message string `json:"message"`
}

func (verb *verifyVerb) run(out io.Writer, path string) error {
	share, err := verb.share()
	if err != nil {
		return err
	}
	v := verdict{File: path, Problems: []problem{}}
	if err := v.check(path, verb.deep, share); err != nil {
		return err
	}
	err = buffered(out, func(w *bufio.Writer) error {
		if verb.json {
			return printJSON(w, &v)
		}
		v.print(w)
		return nil
	})
	if err == nil && !v.Sound {
		err = fmt.Errorf("%s: %s", path, plural(len(v.Problems), "problem", "problems"))
	}
	return err
}

// check reads the file. A file that cannot even be opened for damage has that as its only problem.
func (v *verdict) check(path string, deep bool, share float64) error {
	r, err := openFile(path)
	if err != nil {
		return v.add(err)
	}
	defer r.Close()
	bar := newProgress("verifying", "bytes", r.Info().FileBytes)
	opt := store.VerifyOptions{Progress: bar.report}
	if deep {
		opt.Level = store.VerifyDeep
	} else if share < 1 {
		opt.Sample = share
	}
	report, err := r.Verify(context.Background(), opt)
	bar.done()
	if report != nil {
		v.Blocks, v.Bytes = report.Blocks, report.Bytes
		for _, p := range report.Problems {
			err = errors.Join(err, v.add(p))
		}
	}
	v.Sound = err == nil && len(v.Problems) == 0
	return err
}

// add notes damage; it returns an error that is something else.
func (v *verdict) add(err error) error {
	var c *format.CorruptError
	if !errors.As(err, &c) {
		return err
	}
	v.Problems = append(v.Problems, newProblem(c))
	return nil
}

func newProblem(c *format.CorruptError) problem {
	p := problem{Section: c.Section, Message: c.Err.Error()}
	if c.Offset >= 0 {
		p.Offset = &c.Offset
	}
	return p
}

func (v *verdict) print(w io.Writer) {
	if v.Sound {
		fmt.Fprintf(w, "%s: sound, %s in %s\n", printable(v.File), size(v.Bytes), plural(v.Blocks, "block", "blocks"))
		return
	}
	printProblems(w, v.Problems)
}

func printProblems(w io.Writer, problems []problem) {
	t := newTable([]string{"offset"}, "offset", "section", "problem")
	for _, p := range problems {
		offset := "-"
		if p.Offset != nil {
			offset = grouped(*p.Offset)
		}
		t.AppendRow([]any{offset, p.Section, printable(p.Message)})
	}
	fmt.Fprintln(w, t.Render())
}
