package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// convertVerb makes a Pando file of a trace.
type convertVerb struct {
	options                      store.Options
	lenient, strict, force, json bool
}

func newConvert() *cobra.Command {
	v := &convertVerb{}
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Make a Pando file of a trace",
		Long: `Make a Pando file of a trace: of its main file, of a folder that holds one trace, or of a packed
archive (tar, tar.gz, tar.zst) of one. A Pando file can be converted too, to change its options.
The file is written as OUT.part and gets its name when it is complete.

If OUT is called NAME.json or NAME.json.gz, a file of trace events is made of a Pando file: what
Perfetto and chrome://tracing open. For a window of it see pando export --to chrome.`,
		Example: `  pando convert scorep-run/traces.otf2 run.pando
  pando convert old-run.tar.zst run.pando
  pando convert run.pando small-slices.pando --slice-events 4096
  pando convert run.pando run.json.gz`,
		Args: arguments("IN", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0], args[1]) },
	}
	f := cmd.Flags()
	f.BoolVar(&v.force, "force", false, "overwrite OUT")
	f.BoolVar(&v.lenient, "lenient", false, "accept a trace of which parts are missing")
	f.BoolVar(&v.strict, "strict", false, "fail if there is any warning")
	f.IntVar(&v.options.SliceEvents, "slice-events", 0, "put `N` events into a slice, all locations together (default 16384, more with many locations)")
	f.IntVar(&v.options.LaneLocations, "lane-locations", 0, "put `N` locations into a lane (default 64)")
	f.IntVar(&v.options.Fanout, "fanout", 0, "give a node of the interval tree `N` children (default 16)")
	f.IntVar(&v.options.EpochSlices, "epoch-slices", 0, "let `N` slices share a dictionary (default 128)")
	f.IntVar(&v.options.Workers, "workers", 0, "encode with `N` goroutines (default: one per processor)")
	addJSON(cmd, &v.json, "print the summary as JSON")
	return cmd
}

func (v *convertVerb) run(out io.Writer, from, to string) error {
	if err := v.check(to); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	start := time.Now()
	found, err := v.find(ctx, from)
	if err != nil {
		return err
	}
	defer found.Close()
	if isChromeName(to) {
		return v.toChrome(ctx, out, found, to)
	}
	s := conversion{Input: from, Output: to, Format: found.Format, InputBytes: found.Bytes}
	if s.Warnings, err = v.convert(ctx, found, to); err != nil {
		return err
	}
	if err := s.complete(time.Since(start)); err != nil {
		return err
	}
	return buffered(out, func(w *bufio.Writer) error { return s.print(w, v.json) })
}

// find finds the trace; a packed one is unpacked.
func (v *convertVerb) find(ctx context.Context, path string) (*convert.Trace, error) {
	bar := newProgress("unpacking", "bytes", 0)
	defer bar.done()
	return convert.Find(path, convert.Options{Lenient: v.lenient, Unpacking: func(n int64) error {
		bar.set(n)
		return ctx.Err()
	}})
}

// check refuses options and an output that cannot be.
func (v *convertVerb) check(to string) error {
	o := &v.options
	for _, n := range []int{o.SliceEvents, o.LaneLocations, o.Fanout, o.EpochSlices, o.Workers} {
		if n < 0 {
			return usagef("%d: sizes and numbers of slices, lanes and workers are positive", n)
		}
	}
	if o.Fanout == 1 || o.Fanout >= 1<<16 {
		return usagef("--fanout %d is not between 2 and 65535", o.Fanout)
	}
	return checkOutput(to, v.force)
}

// checkOutput refuses to write over what is there, and over what is no file in any case.
func checkOutput(path string, force bool) error {
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

// convert writes the trace. After an error nothing of the output is left.
func (v *convertVerb) convert(ctx context.Context, found *convert.Trace, path string) ([]trace.Warning, error) {
	src, err := found.Open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	w, err := store.Create(path, src.Meta(), v.options)
	if err != nil {
		return nil, err
	}
	if err = v.copy(ctx, w, src); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return src.Warnings(), nil
}

func (v *convertVerb) copy(ctx context.Context, w *store.Writer, src trace.Source) error {
	bar := newProgress("converting", "events", int64(declared(src)))
	defer bar.done()
	err := store.Copy(w, stoppable{src, ctx}, func(n uint64) { bar.set(int64(n)) })
	if err != nil {
		return err
	}
	if warnings := src.Warnings(); v.strict && len(warnings) > 0 {
		return fmt.Errorf("--strict: %s; the first: %s", plural(len(warnings), "kind of warning", "kinds of warnings"), warningText(&warnings[0]))
	}
	return ctx.Err()
}

// declared returns the number of events that a source says it has.
func declared(src trace.Source) (n uint64) {
	for _, s := range src.Streams() {
		if s.Class == trace.StreamEvents {
			n += s.Records
		}
	}
	return n
}
