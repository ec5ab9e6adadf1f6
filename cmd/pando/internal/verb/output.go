package verb

import (
	"bufio"
	"cmp"
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

// OutputBuffer is the size of the buffer before an output, in bytes.
const OutputBuffer = 64 << 10

// Buffered lets print write to out, buffered.
func Buffered(out io.Writer, print func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(out, OutputBuffer)
	if err := print(w); err != nil {
		return err
	}
	return w.Flush()
}

// Replacing says what becomes of files that are there already.
type Replacing struct{ Force, Discard bool }

// AddReplacing adds the flags --force and --discard of a verb that writes out.
func (r *Replacing) AddReplacing(cmd *cobra.Command, out string) {
	cmd.Flags().BoolVarP(&r.Force, "force", "f", false, "overwrite "+out)
	cmd.Flags().BoolVar(&r.Discard, "discard", false, "remove the unfinished "+out+".part that a writer that is gone has left")
}

// Options are what makes an output appear as the flags say.
func (r *Replacing) Options() store.OutputOptions {
	return store.OutputOptions{NoReplace: !r.Force, Discard: r.Discard}
}

// AddOutput adds the flag --output.
func AddOutput(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().VarP((*outputName)(path), "output", "o", what)
}

// ErrNoName is the error of an output that is named by nothing.
var ErrNoName = errors.New("the output has no name")

// outputName is the name of an output. A name that is given is not empty: a script whose variable is empty does not mean standard output.
type outputName string

// String is what the flag was set to.
func (n *outputName) String() string { return string(*n) }

// Set refuses the empty name.
func (n *outputName) Set(name string) error {
	if name == "" {
		return ErrNoName
	}
	*n = outputName(name)
	return nil
}

// Type is not shown: the help has the name in what the flag is for.
func (n *outputName) Type() string { return "string" }

// InFormat says what --format is for in verbs that write a file.
const InFormat = "write OUT as `NAME`, where its ending does not say it"

// AddFormat adds the flag --format, one of some formats.
func AddFormat(cmd *cobra.Command, format *string, what string, formats []outputs.Format) {
	cmd.Flags().Var(&formatName{format, formats}, "format", what+": "+outputs.Listed(outputs.Names(formats)))
	CompleteFixed(cmd, "format", outputs.Names(formats))
}

// formatName is the name of one of some formats.
type formatName struct {
	name    *string
	formats []outputs.Format
}

// String is what the flag was set to.
func (n *formatName) String() string { return *n.name }

// Set takes any name: the verb refuses one that it does not have, and knows what may have been meant.
func (n *formatName) Set(name string) error {
	*n.name = name
	return nil
}

// Type is not shown.
func (n *formatName) Type() string { return "string" }

// FormatsOf returns the formats that a verb writes, none if it has no flag --format.
func FormatsOf(cmd *cobra.Command) []outputs.Format {
	if f := cmd.Flags().Lookup("format"); f != nil {
		return f.Value.(*formatName).formats
	}
	return nil
}

// AddQuiet adds the flag --quiet.
func AddQuiet(cmd *cobra.Command, quiet *bool, what string) {
	cmd.Flags().BoolVarP(quiet, "quiet", "q", false, what)
}

// Answering is how a verb gives its answer: where, and in which format.
type Answering struct {
	Replacing
	Output, Name string
	json         bool
	Formats      []outputs.Format
	Chosen       outputs.Format
	Format       report.Format // the chosen one, if it is text, JSON or CSV
	Tables       []string      // of the flag --tables
	tablesOf     string        // what the tables of the answer are of
	tableNames   []string      // all that there are
}

// AddAnswer adds the flags --output, --force, --discard, --format and --json of a verb with an answer in some formats, text the first.
func (a *Answering) AddAnswer(cmd *cobra.Command, json string, formats ...outputs.Format) {
	a.Formats = formats
	AddOutput(cmd, &a.Output, "write to the file `OUT` (help outputs)")
	a.AddReplacing(cmd, "OUT")
	AddFormat(cmd, &a.Name, "print as `NAME`", formats)
	cmd.Flags().BoolVar(&a.json, "json", false, json+"; short for --format json")
}

// Choose chooses the format by the flags and by the name of the output.
func (a *Answering) Choose() error {
	if a.json {
		if a.Name != "" && a.Name != "json" {
			return Usagef("--json is short for --format json, and not for --format %s", a.Name)
		}
		a.Name = "json"
	}
	f, err := outputs.Choose("an answer", a.Output, a.Name, a.Formats)
	if err != nil {
		return Usage(err)
	}
	a.Chosen, a.Format = f, AnswerFormats[f.Name]
	return nil
}

// CheckShown refuses a binary answer on a terminal.
func (a *Answering) CheckShown(out io.Writer) error {
	if a.Output != "" && a.Output != outputs.Standard {
		return nil
	}
	if err := outputs.CheckShown(out, a.Chosen); err != nil {
		return Usage(err)
	}
	return nil
}

// IsPicture reports whether the answer is a PNG or SVG picture.
func (a *Answering) IsPicture() bool {
	return a.Chosen.Name == PNGFormat.Name || a.Chosen.Name == SVGFormat.Name
}

// Print lets print write to standard output or to the file that the flags name; a signal ends its context. The format must have been chosen.
func (a *Answering) Print(out io.Writer, print func(ctx context.Context, w *bufio.Writer) error) error {
	if a.Output == "" || a.Output == outputs.Standard {
		return Buffered(out, func(w *bufio.Writer) error { return print(context.Background(), w) })
	}
	ctx, stop := Interruptible()
	defer stop()
	return WriteFile(ctx, a.Output, a.Replacing, func(w *bufio.Writer) error { return print(ctx, w) })
}

// Write writes an answer that is one document.
func (a *Answering) Write(out io.Writer, answer report.Answer) error {
	return a.Print(out, func(_ context.Context, w *bufio.Writer) error { return report.Write(w, answer, a.Format) })
}

// Outcome is what a verb that writes files prints about them.
type Outcome struct{ JSON, Quiet bool }

// AddOutcome adds the flags --json and --quiet.
func (o *Outcome) AddOutcome(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print as JSON what was written")
	AddQuiet(cmd, &o.Quiet, "print nothing, unless something is wrong")
}

// Tell prints what was written.
func (o *Outcome) Tell(out io.Writer, a report.Answer) error {
	return o.TellBy(out, func(w io.Writer, f report.Format) error { return report.Write(w, a, f) })
}

// TellBy lets an answer write itself.
func (o *Outcome) TellBy(out io.Writer, write func(io.Writer, report.Format) error) error {
	if o.Quiet {
		return nil
	}
	format := report.Text
	if o.JSON {
		format = report.JSON
	}
	return Buffered(out, func(w *bufio.Writer) error { return write(w, format) })
}

// Bar starts to measure the progress of some work, without --quiet.
func (o *Outcome) Bar(what, unit string, total int64) *progress.Bar {
	if o.Quiet {
		return nil
	}
	return progress.New(what, unit, total)
}

// CheckOutput refuses an output that exists, unless force is set and it is a regular file.
func CheckOutput(path string, force bool) error {
	if path == "" {
		return Usagef("the output has no name")
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

// CreateOutput creates the output of a name: standard output, a device, or a file that appears when it is complete.
func CreateOutput(out io.Writer, path string, r Replacing) (outputs.File, error) {
	if path == "" || path == outputs.Standard {
		return outputs.Shown{Writer: out}, nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return outputs.Device{File: f}, err
	}
	if err := CheckOutput(path, r.Force); err != nil {
		return nil, err
	}
	return claim.Create(path, r.Options())
}

// WriteFile lets print write a file, which does not appear if the context is done before it is complete.
func WriteFile(ctx context.Context, path string, r Replacing, print func(w *bufio.Writer) error) (err error) {
	f, err := CreateOutput(nil, path, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }() // without effect on a complete one
	if err := cmp.Or(Buffered(f, print), ctx.Err()); err != nil {
		return err
	}
	return f.Commit()
}
