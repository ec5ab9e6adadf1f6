package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/format"
)

func newVerify() *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a Pando file from begin to end",
		Long: `Read a Pando file from begin to end: every checksum, the order of the blocks, that each can be
decoded, that the directory describes exactly them, and the SHA-256 of the events. The exit code is 1 if anything is wrong.`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runVerify(cmd.OutOrStdout(), args[0], json) },
	}
	addJSON(cmd, &json, "print the outcome as JSON")
	return cmd
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

func runVerify(out io.Writer, path string, json bool) error {
	v := verdict{File: path, Problems: []problem{}}
	if err := v.check(path); err != nil {
		return err
	}
	err := buffered(out, func(w *bufio.Writer) error {
		if json {
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
func (v *verdict) check(path string) error {
	r, err := openFile(path)
	if err != nil {
		return v.add(err)
	}
	defer r.Close()
	bar := newProgress("verifying", "bytes", r.Info().FileBytes)
	report, err := r.Verify(bar.set)
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
		fmt.Fprintf(w, "%s: sound, %s in %s\n", v.File, size(v.Bytes), plural(v.Blocks, "block", "blocks"))
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
