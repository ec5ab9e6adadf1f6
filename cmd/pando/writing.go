package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/lost"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// writing is the common part of verbs that write a trace.
type writing struct {
	verb.Replacing
	verb.Outcome
	output, format                      string
	chosen                              *convert.Output
	errors                              io.Writer // standard error
	options                             store.Options
	lenient, strict, stamp              bool
	eventChunk, definitionChunk, memory string
	chunks                              [2]uint64 // of events and definitions, in bytes
	by                                  convert.By
	loss                                lossFlags
	notes                               verb.Notes
	recorded                            *lost.Recorded // nil unless the program was run for it
	shown                               string         // the input as the outcome names it; empty: its path
}

// addWriting adds the flags of how the output is written.
func (v *writing) addWriting(cmd *cobra.Command, out string) {
	f := cmd.Flags()
	verb.AddOutput(cmd, &v.output, "write to `"+out+"`; - for standard output (help outputs)")
	v.AddReplacing(cmd, out)
	verb.AddFormat(cmd, &v.format, verb.InFormat, traceFormats())
	v.AddOutcome(cmd)
	f.BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing or cut off")
	f.BoolVar(&v.strict, "strict", false, "fail if there is any warning")
	f.IntVar(&v.options.SliceEvents, "slice-events", 0, "put `N` events into a slice, all locations together (default 16384, more with many locations; 2796202 at most)")
	f.IntVar(&v.options.LaneLocations, "lane-locations", 0, "put `N` locations into a lane (default 128)")
	f.IntVar(&v.options.Fanout, "fanout", 0, "give a node of the interval tree `N` children (default 16)")
	f.IntVar(&v.options.GroupSlices, "group-slices", 0, "let `N` slices share statistics (default: as many as a node has children, whose square is a multiple of them)")
	f.IntVar(&v.options.EpochSlices, "epoch-slices", 0, "let `N` slices share a dictionary (default 128)")
	f.BoolVar(&v.options.Hashes, "hashes", false, "store hashes of what locations call in which order, by which files are compared without reading events")
	f.IntVar(&v.options.Workers, "workers", 0, "encode with `N` goroutines (default: one per processor)")
	f.StringVar(&v.memory, "memory", "", "take about `SIZE` of memory; what does not fit waits in temporary files (default 512MiB)")
	v.loss.add(cmd)
	v.notes.Add(cmd)
	f.StringVar(&v.eventChunk, "event-chunk", "", "`SIZE` of the chunks of events of an OTF2 archive (default: the original's, or 1MiB)")
	f.StringVar(&v.definitionChunk, "definition-chunk", "", "`SIZE` of its chunks of definitions (default: the original's, or 4MiB)")
	cmd.Flags().BoolVar(&v.stamp, "stamp", false, "note in the file who makes it, where and when")
	for _, flag := range []string{"slice-events", "lane-locations", "fanout", "group-slices", "epoch-slices", "workers", "memory", "event-chunk", "definition-chunk"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
}

// traceFormats are the formats that traces are written in.
func traceFormats() (list []outputs.Format) {
	for _, o := range convert.Outputs() {
		list = append(list, outputs.Format{Name: strings.ToLower(o.Name), Endings: o.Extensions, Binary: o.Name != "Chrome"})
	}
	return list
}

// chooseOutput chooses the format by the flag and by the name of the output.
func (v *writing) chooseOutput(out io.Writer, to string) error {
	f, err := outputs.Choose("a trace", to, v.format, traceFormats())
	if err != nil {
		return verb.Usage(err)
	}
	v.chosen = convert.OutputNamed(f.Name)
	switch {
	case to != outputs.Standard:
		return nil
	case !v.chosen.Streams():
		return verb.Usagef("-: a trace of format %s is several files, which standard output cannot take", v.chosen.Name)
	}
	if err := outputs.CheckShown(out, f); err != nil {
		return verb.Usage(err)
	}
	return nil
}

// make finds traces, combines them into one with `of`, writes the one, and prints the outcome.
func (v *writing) make(out io.Writer, from []string, to string, of func(context.Context, []*convert.Trace) (*convert.Trace, error)) (err error) {
	if err := v.check(out, to); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	start := time.Now()
	var found []*convert.Trace
	for _, path := range from {
		t, err := v.find(ctx, path)
		if err != nil {
			return err
		}
		defer t.Close()
		found = append(found, t)
	}
	t, err := of(ctx, found)
	if err != nil {
		return err
	}
	defer t.Close()
	if v.loss.dryRun {
		return v.foresee(ctx, out, t)
	}
	if t, err = v.coarsen(ctx, t); err != nil {
		return err
	}
	written, err := v.write(ctx, out, t, to)
	if err != nil {
		return unnested(err)
	}
	if to == outputs.Standard { // which has the trace, and nothing else
		v.warn(written.Warnings)
		return nil
	}
	s := report.NewWritten(t, written, time.Since(start))
	s.Input, s.Output, s.Written, s.Recorded = cmp.Or(v.shown, strings.Join(from, ", ")), to, v.chosen.Name, v.recorded
	if s.Recorded != nil && written.Info != nil {
		s.Recorded.Count(written.Info.Deviations)
	}
	return v.Tell(out, s)
}

// foresee tells how large the file would be with some bounds.
func (v *writing) foresee(ctx context.Context, out io.Writer, t *convert.Trace) error {
	bar := v.Bar("trying", v.chosen.Unit, 0)
	f, err := v.loss.foresee(ctx, t, v.writeOptions(bar))
	bar.Done()
	if err != nil {
		return err
	}
	if v.Quiet {
		return nil
	}
	return verb.Buffered(out, func(w *bufio.Writer) error {
		if v.JSON {
			return report.WriteJSON(w, f)
		}
		f.WriteText(w)
		return nil
	})
}

// coarsen returns the trace within its bounds.
func (v *writing) coarsen(ctx context.Context, t *convert.Trace) (*convert.Trace, error) {
	bar := v.Bar("trying", v.chosen.Unit, 0)
	defer bar.Done()
	return v.loss.coarsen(ctx, t, v.writeOptions(bar))
}

// warn prints warnings on standard error.
func (v *writing) warn(list []trace.Warning) {
	if !v.Quiet {
		printWarnings(v.errors, list)
	}
}

func printWarnings(to io.Writer, list []trace.Warning) {
	for i := range list {
		fmt.Fprintln(to, "pando: warning:", report.WarningText(&list[i]))
	}
}

// find finds the trace; a packed one is unpacked.
func (v *writing) find(ctx context.Context, path string) (*convert.Trace, error) {
	bar := v.Bar("unpacking", "bytes", 0)
	defer bar.Done()
	return verb.FindTrace(ctx, path, convert.Options{Lenient: v.lenient, Memory: v.options.Memory, Unpacking: bar.Report})
}

// index makes a temporary Pando file of a trace of another format.
func (v *writing) index(ctx context.Context, t *convert.Trace) (*convert.Trace, error) {
	bar := v.Bar("reading", "events", 0)
	defer bar.Done()
	options := v.options
	options.Hashes = false // nobody compares it
	return t.Indexed(ctx, convert.WriteOptions{Store: options, Accept: v.accept, Progress: bar.Report})
}

// check refuses options and an output that cannot be.
func (v *writing) check(out io.Writer, to string) error {
	o := &v.options
	for _, n := range []int{o.SliceEvents, o.LaneLocations, o.Fanout, o.GroupSlices, o.EpochSlices, o.Workers} {
		if n < 0 {
			return verb.Usagef("%d: sizes and numbers of slices, lanes and workers are not negative; 0 stands for the default", n)
		}
	}
	if o.Fanout == 1 || o.Fanout >= 1<<16 {
		return verb.Usagef("--fanout %d is not between 2 and 65535", o.Fanout)
	}
	if _, err := o.WithDefaults(); err != nil {
		return verb.Usagef("%s", strings.TrimPrefix(err.Error(), "store: "))
	}
	var err error
	if v.options.Memory, err = verb.MemorySize(v.memory); err != nil {
		return err
	}
	if err := v.loss.check(); err != nil {
		return err
	}
	if v.chunks[0], err = chunkSize("event-chunk", v.eventChunk); err != nil {
		return err
	}
	if v.chunks[1], err = chunkSize("definition-chunk", v.definitionChunk); err != nil {
		return err
	}
	if v.loss.dryRun {
		v.chosen = convert.OutputNamed("Pando")
		return nil
	}
	if to != outputs.Standard {
		if err := verb.CheckOutput(to, v.Force); err != nil {
			return err
		}
	}
	if err := v.chooseOutput(out, to); err != nil {
		return err
	}
	if v.loss.bytes > 0 && v.chosen.Name != "Pando" {
		return verb.Usagef("--budget is of Pando files, and %s is written", v.chosen.Name)
	}
	if len(v.notes.Properties) > 0 && v.chosen.Name == "Chrome" {
		return verb.Usagef("--note: Pando files and OTF2 archives have notes, and trace events are written")
	}
	if to == outputs.Standard {
		return nil
	}
	return v.chosen.Check(to, convert.WriteOptions{Replace: v.Force, Discard: v.Discard})
}

// chunkSize reads the size of the chunks of OTF2 archives, 0 for "".
func chunkSize(flag, text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := verb.ByteSize(text)
	if err != nil {
		return 0, err
	}
	if n < 256<<10 || n > 16<<20 {
		return 0, verb.Usagef("--%s %s: chunks have 256KiB to 16MiB", flag, text)
	}
	return uint64(n), nil
}

// write writes the trace. After an error nothing of the output is left.
func (v *writing) write(ctx context.Context, out io.Writer, found *convert.Trace, path string) (convert.Written, error) {
	o := v.chosen
	if !o.Takes(found.Format) {
		return convert.Written{}, verb.Usagef("%s: files of %s are made of Pando files: pando convert %s FILE first", found.Path, o.Name, found.Path)
	}
	bar := v.Bar("converting", o.Unit, 0)
	defer bar.Done()
	opt := v.writeOptions(bar)
	if path == outputs.Standard {
		buf := bufio.NewWriterSize(out, verb.OutputBuffer)
		written, err := o.Stream(ctx, found, buf, opt)
		return written, cmp.Or(err, buf.Flush())
	}
	return o.Write(ctx, found, path, opt)
}

func (v *writing) writeOptions(bar *progress.Bar) convert.WriteOptions {
	return convert.WriteOptions{By: v.by, Notes: v.notes.Properties, Store: v.options, EventChunk: v.chunks[0], DefinitionChunk: v.chunks[1], Replace: v.Force, Discard: v.Discard, Accept: v.accept, Progress: bar.Report}
}

// accept makes warnings errors with --strict.
func (v *writing) accept(warnings []trace.Warning) error {
	if !v.strict || len(warnings) == 0 {
		return nil
	}
	return fmt.Errorf("--strict: %s; the first: %s", report.Plural(len(warnings), "kind of warning", "kinds of warnings"), report.WarningText(&warnings[0]))
}

// advised adds advice to the error about an unfinished output.
func advised(err error) error {
	var left *store.LeftoverError
	if !errors.As(err, &left) {
		return err
	}
	advice := "--discard removes it"
	if name, ok := convert.Detect(left.Part); ok && name == "Pando" && !strings.HasSuffix(left.Part, ".saved.part") {
		to := free(strings.TrimSuffix(left.Part, ".part"))
		advice = fmt.Sprintf("pando recover %s %s saves what is in it; %s", quoted(left.Part), quoted(to), advice)
	}
	return fmt.Errorf("%w; %s", err, advice)
}

// free returns a path that no file has: the given one, or a similar one.
func free(path string) string {
	ext := filepath.Ext(path)
	name := path
	for n := 1; ; n++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s.recovered-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
}

// quoted returns a path as a shell takes it, so that a command can be copied.
func quoted(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// telling are the flags that change the content of a file.
var telling = []string{"lenient", "from", "to", "location", "region", "drop-metrics", "note", "align", "slice-events", "lane-locations", "fanout", "group-slices", "epoch-slices", "hashes", "max-error", "max-counter", "max-relative", "budget"}

// converter returns the entry of this conversion in the file's history: the program, the flags of the verb and, with --stamp, user, host and time.
func converter(cmd *cobra.Command, stamp bool) convert.By {
	options := []string{cmd.Name()}
	for _, name := range telling {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			options = append(options, "--"+name+"="+f.Value.String())
		}
	}
	by := convert.By{Program: "pando " + version(), Options: strings.Join(options, " ")}
	if stamp {
		name := "somebody"
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
		host, _ := os.Hostname()
		by.Note = fmt.Sprintf("by %s on %s, %s", name, cmp.Or(host, "a nameless machine"), time.Now().UTC().Format(time.RFC3339))
	}
	return by
}
