package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// outputBuffer is the size of the buffer before an output, in bytes.
const outputBuffer = 64 << 10

// buffered lets print write to out, buffered.
func buffered(out io.Writer, print func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	if err := print(w); err != nil {
		return err
	}
	return w.Flush()
}

// replacing says what becomes of files that are there already.
type replacing struct{ force, discard bool }

// addReplacing adds the flags --force and --discard of a verb that writes out.
func (r *replacing) addReplacing(cmd *cobra.Command, out string) {
	cmd.Flags().BoolVarP(&r.force, "force", "f", false, "overwrite "+out)
	cmd.Flags().BoolVar(&r.discard, "discard", false, "remove the unfinished "+out+".part that a writer that is gone has left")
}

func (r *replacing) options() store.OutputOptions {
	return store.OutputOptions{NoReplace: !r.force, Discard: r.discard}
}

// addOutput adds the flag --output.
func addOutput(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().VarP((*outputName)(path), "output", "o", what)
}

// errNoName is the error of an output that is named by nothing.
var errNoName = errors.New("the output has no name")

// outputName is the name of an output. A name that is given is not empty: a script whose variable is empty does not mean standard output.
type outputName string

// String is what the flag was set to.
func (n *outputName) String() string { return string(*n) }

// Set refuses the empty name.
func (n *outputName) Set(name string) error {
	if name == "" {
		return errNoName
	}
	*n = outputName(name)
	return nil
}

// Type is not shown: the help has the name in what the flag is for.
func (n *outputName) Type() string { return "string" }

// inFormat says what --format is for in verbs that write a file.
const inFormat = "write OUT as `NAME`, where its ending does not say it"

// addFormat adds the flag --format, one of some formats.
func addFormat(cmd *cobra.Command, format *string, what string, formats []outputs.Format) {
	cmd.Flags().StringVar(format, "format", "", what+": "+outputs.Listed(outputs.Names(formats)))
	completeFixed(cmd, "format", outputs.Names(formats))
}

// addQuiet adds the flag --quiet.
func addQuiet(cmd *cobra.Command, quiet *bool, what string) {
	cmd.Flags().BoolVarP(quiet, "quiet", "q", false, what)
}

// The formats of answers.
var (
	textFormat = outputs.Format{Name: "text", Endings: []string{".txt"}}
	jsonFormat = outputs.Format{Name: "json", Endings: []string{".json", ".jsonl", ".ndjson"}}
	csvFormat  = outputs.Format{Name: "csv", Endings: []string{".csv"}}
	pngFormat  = outputs.Format{Name: "png", Endings: []string{".png"}, Binary: true}
	svgFormat  = outputs.Format{Name: "svg", Endings: []string{".svg"}}
)

// answerFormats are the formats of answers by name.
var answerFormats = map[string]report.Format{"text": report.Text, "json": report.JSON, "csv": report.CSV}

// answering is how a verb gives its answer: where, and in which format.
type answering struct {
	replacing
	output, name string
	json         bool
	formats      []outputs.Format
	chosen       outputs.Format
	format       report.Format // the chosen one, if it is text, JSON or CSV
}

// addAnswer adds the flags --output, --force, --discard, --format and --json of a verb with an answer in some formats, text the first.
func (a *answering) addAnswer(cmd *cobra.Command, json string, formats ...outputs.Format) {
	a.formats = formats
	addOutput(cmd, &a.output, "write to the file `OUT` (help outputs)")
	a.addReplacing(cmd, "OUT")
	addFormat(cmd, &a.name, "print as `NAME`", formats)
	cmd.Flags().BoolVar(&a.json, "json", false, json+"; short for --format json")
}

// choose chooses the format by the flags and by the name of the output.
func (a *answering) choose() error {
	if a.json {
		if a.name != "" && a.name != "json" {
			return usagef("--json is short for --format json, and not for --format %s", a.name)
		}
		a.name = "json"
	}
	f, err := outputs.Choose("an answer", a.output, a.name, a.formats)
	if err != nil {
		return usageError{err}
	}
	a.chosen, a.format = f, answerFormats[f.Name]
	return nil
}

// print lets print write to standard output or to the file that the flags name; a signal ends its context. The format must have been chosen.
func (a *answering) print(out io.Writer, print func(ctx context.Context, w *bufio.Writer) error) error {
	if a.output == "" || a.output == outputs.Standard {
		return buffered(out, func(w *bufio.Writer) error { return print(context.Background(), w) })
	}
	ctx, stop := interruptible()
	defer stop()
	return writeFile(ctx, a.output, a.replacing, func(w *bufio.Writer) error { return print(ctx, w) })
}

// write writes an answer that is one document.
func (a *answering) write(out io.Writer, answer report.Answer) error {
	return a.print(out, func(_ context.Context, w *bufio.Writer) error { return report.Write(w, answer, a.format) })
}

// outcome is what a verb that writes files prints about them.
type outcome struct{ json, quiet bool }

func (o *outcome) addOutcome(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print as JSON what was written")
	addQuiet(cmd, &o.quiet, "print nothing, unless something is wrong")
}

// tell prints what was written.
func (o *outcome) tell(out io.Writer, a report.Answer) error {
	if o.quiet {
		return nil
	}
	format := report.Text
	if o.json {
		format = report.JSON
	}
	return buffered(out, func(w *bufio.Writer) error { return report.Write(w, a, format) })
}

// bar starts to measure the progress of some work, without --quiet.
func (o *outcome) bar(what, unit string, total int64) *progress.Bar {
	if o.quiet {
		return nil
	}
	return progress.New(what, unit, total)
}

// checkOutput refuses an output that exists, unless force is set and it is a regular file.
func checkOutput(path string, force bool) error {
	if path == "" {
		return usagef("the output has no name")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "create", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "create", Path: path, Err: errors.New("not a regular file")}
	case !force:
		return &fs.PathError{Op: "create", Path: path, Err: errors.New("file exists; --force overwrites it")}
	}
	return nil
}

// createOutput creates the output of a name: standard output, a device, or a file that appears when it is complete.
func createOutput(out io.Writer, path string, r replacing) (outputs.File, error) {
	if path == "" || path == outputs.Standard {
		return outputs.Shown{Writer: out}, nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return outputs.Device{File: f}, err
	}
	if err := checkOutput(path, r.force); err != nil {
		return nil, err
	}
	return claim.Create(path, r.options())
}

// writeFile lets print write a file, which does not appear if the context is done before it is complete.
func writeFile(ctx context.Context, path string, r replacing, print func(w *bufio.Writer) error) (err error) {
	f, err := createOutput(nil, path, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }() // without effect on a complete one
	if err := buffered(stoppable{ctx, f}, print); err != nil {
		return err
	}
	return f.Commit()
}

// stoppable is a writer until a context is done.
type stoppable struct {
	ctx context.Context
	io.Writer
}

// Write implements io.Writer.
func (s stoppable) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}
