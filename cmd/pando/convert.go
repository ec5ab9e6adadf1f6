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

// convertVerb makes a Pando file of a trace, or writes it in another format.
type convertVerb struct {
	options                      store.Options
	lenient, strict, force, json bool
	stamp                        bool
	by                           convert.By
}

func newConvert() *cobra.Command {
	v := &convertVerb{}
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Make a Pando file of a trace, or another format of a Pando file",
		Long: `Make a Pando file of a trace: of its main file, of a folder that holds one trace, or of a packed
archive (tar, tar.gz, tar.zst) of one. A Pando file can be converted too, to change its options.
The file is written as OUT.part and gets its name when it is complete. It notes what it was made of and
how (pando info tells it); made once more of the same files, it is the same but for its id.

The name of OUT says what is written:

  NAME.otf2                  an OTF2 archive: the anchor file NAME.otf2, NAME.def, the folder NAME.
                             What came from an archive is restored; of other traces, what OTF2
                             does not know is left out and counted. Archives are not overwritten.
  NAME.json, NAME.json.gz    trace events, of a Pando file: what Perfetto and chrome://tracing
                             open. For a window of it see pando export --to chrome.
  any other name             a Pando file`,
		Example: `  pando convert scorep-run/traces.otf2 run.pando
  pando convert old-run.tar.zst run.pando
  pando convert run.pando small-slices.pando --slice-events 4096
  pando convert run.pando restored/traces.otf2
  pando convert run.pando run.json.gz`,
		Args: arguments("IN", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.by = converter(cmd, v.stamp)
			return v.run(cmd.OutOrStdout(), args[0], args[1])
		},
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
	addStamp(cmd, &v.stamp)
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
	o := convert.OutputAt(to)
	written, err := v.write(ctx, found, o, to)
	if err != nil {
		return err
	}
	s := newConversion(found, written, time.Since(start))
	s.Input, s.Output, s.Written = from, to, o.Name
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
	err := checkOutput(to, v.force)
	if _, missing := os.Lstat(to); err == nil && missing == nil && !convert.OutputAt(to).Overwrites() {
		return usagef("--force does not overwrite archives of many files: remove %s and what belongs to it first", to)
	}
	return err
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

// write writes the trace. After an error nothing of the output is left.
func (v *convertVerb) write(ctx context.Context, found *convert.Trace, o *convert.Output, path string) (convert.Written, error) {
	if !o.Takes(found.Format) {
		return convert.Written{}, usagef("%s: files of %s are made of Pando files: pando convert %s FILE first", found.Path, o.Name, found.Path)
	}
	var bar *progress
	opt := convert.WriteOptions{By: v.by, Store: v.options, Accept: v.accept, Progress: func(unit string, done, total int64) {
		if bar == nil {
			bar = newProgress("converting", unit, total)
		}
		bar.set(done)
	}}
	defer func() { bar.done() }()
	return o.Write(ctx, found, path, opt)
}

// accept makes warnings errors if that is asked for.
func (v *convertVerb) accept(warnings []trace.Warning) error {
	if !v.strict || len(warnings) == 0 {
		return nil
	}
	return fmt.Errorf("--strict: %s; the first: %s", plural(len(warnings), "kind of warning", "kinds of warnings"), warningText(&warnings[0]))
}
