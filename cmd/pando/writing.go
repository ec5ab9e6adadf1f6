package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// writing is what verbs that write a trace have in common.
type writing struct {
	options                             store.Options
	lenient, strict, force, stamp, json bool
	discard                             bool
	eventChunk, definitionChunk, memory string
	chunks                              [2]uint64 // of events and definitions, in bytes
	by                                  convert.By
}

// addWriting adds the flags of how the output is written.
func (v *writing) addWriting(cmd *cobra.Command, out string) {
	f := cmd.Flags()
	f.BoolVar(&v.force, "force", false, "overwrite "+out)
	addDiscard(cmd, &v.discard, out)
	f.BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing")
	f.BoolVar(&v.strict, "strict", false, "fail if there is any warning")
	f.IntVar(&v.options.SliceEvents, "slice-events", 0, "put `N` events into a slice, all locations together (default 16384, more with many locations; 1398101 at most)")
	f.IntVar(&v.options.LaneLocations, "lane-locations", 0, "put `N` locations into a lane (default 128)")
	f.IntVar(&v.options.Fanout, "fanout", 0, "give a node of the interval tree `N` children (default 16)")
	f.IntVar(&v.options.EpochSlices, "epoch-slices", 0, "let `N` slices share a dictionary (default 128)")
	f.IntVar(&v.options.Workers, "workers", 0, "encode with `N` goroutines (default: one per processor)")
	f.StringVar(&v.memory, "memory", "", "take about `SIZE` of memory; what does not fit waits in temporary files (default 512MiB)")
	f.StringVar(&v.eventChunk, "event-chunk", "", "`SIZE` of the chunks of events of an OTF2 archive (default: the original's, or 1MiB)")
	f.StringVar(&v.definitionChunk, "definition-chunk", "", "`SIZE` of its chunks of definitions (default: the original's, or 4MiB)")
	addStamp(cmd, &v.stamp)
	addJSON(cmd, &v.json, "print the summary as JSON")
}

// make finds traces, lets `of` make one of them, writes that, and prints the summary.
func (v *writing) make(out io.Writer, from []string, to string, of func(context.Context, []*convert.Trace) (*convert.Trace, error)) (err error) {
	if err := v.check(to); err != nil {
		return err
	}
	ctx, stop := interruptible()
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
	o := convert.OutputAt(to)
	written, err := v.write(ctx, t, o, to)
	if err != nil {
		return err
	}
	s := report.NewWritten(t, written, time.Since(start))
	s.Input, s.Output, s.Written = strings.Join(from, ", "), to, o.Name
	return write(out, s, v.json)
}

// find finds the trace; a packed one is unpacked.
func (v *writing) find(ctx context.Context, path string) (*convert.Trace, error) {
	bar := newProgress("unpacking", "bytes", 0)
	defer bar.done()
	return convert.Find(ctx, path, convert.Options{Lenient: v.lenient, Memory: v.options.Memory, Unpacking: bar.report})
}

// index makes a temporary Pando file of a trace that is none.
func (v *writing) index(ctx context.Context, t *convert.Trace) (*convert.Trace, error) {
	bar := newProgress("reading", "events", 0)
	defer bar.done()
	return t.Indexed(ctx, convert.WriteOptions{Store: v.options, Accept: v.accept, Progress: bar.report})
}

// check refuses options and an output that cannot be.
func (v *writing) check(to string) error {
	o := &v.options
	for _, n := range []int{o.SliceEvents, o.LaneLocations, o.Fanout, o.EpochSlices, o.Workers} {
		if n < 0 {
			return usagef("%d: sizes and numbers of slices, lanes and workers are positive", n)
		}
	}
	if o.Fanout == 1 || o.Fanout >= 1<<16 {
		return usagef("--fanout %d is not between 2 and 65535", o.Fanout)
	}
	var err error
	if v.options.Memory, err = memorySize(v.memory); err != nil {
		return err
	}
	if v.chunks[0], err = chunkSize("event-chunk", v.eventChunk); err != nil {
		return err
	}
	if v.chunks[1], err = chunkSize("definition-chunk", v.definitionChunk); err != nil {
		return err
	}
	if err := checkOutput(to, v.force); err != nil {
		return err
	}
	return convert.OutputAt(to).Check(to, convert.WriteOptions{Replace: v.force, Discard: v.discard})
}

// leastMemory is the least that a conversion can be asked to take, in bytes.
const leastMemory = 32 << 20

// memorySize reads the memory that a conversion may take, and sets up the heap for it.
func memorySize(text string) (n int64, err error) {
	if n = store.DefaultMemory; text != "" {
		n, err = byteSize(text)
	}
	switch {
	case err != nil:
		return 0, err
	case n < leastMemory:
		return 0, usagef("--memory %s: a conversion takes 32MiB at least", text)
	}
	firstCollection.Stop() // that one is not meant
	preferHugePages(n / hugeShare)
	collectWithin(n/hugeShare, garbage, n*looseSixteenths/16, n*keptSixteenths/16)
	return n, nil
}

// garbage is how much of it may gather, in percent of what is in use, before it is collected, as long as that is far from the limit.
// Most conversions need a fifth of their budget: collecting as often as Go does by itself costs a twentieth of the time. What was asked
// for in huge pages is filled before: a conversion that it is enough for collects nothing.
const garbage = 300

// Near its memory, a conversion would collect garbage all the time. So garbage does not fill more than looseSixteenths of it, and the
// process keeps no pages of collected garbage beyond keptSixteenths: 200,000 threads took 330 MB with 8 and 15 of them, and take 300.
const (
	looseSixteenths = 7
	keptSixteenths  = 8
)

// hugeShare is the share of its memory that a conversion prefers in huge pages: near the limit, memory that they are taken from is
// given back and needed again, and with 10,000 locations half of it in huge pages takes as much time as the pages save elsewhere.
const hugeShare = 4

// chunkSize reads the size of the chunks of OTF2 archives, 0 for "".
func chunkSize(flag, text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := byteSize(text)
	if err != nil {
		return 0, err
	}
	if n < 256<<10 || n > 16<<20 {
		return 0, usagef("--%s %s: chunks have 256KiB to 16MiB", flag, text)
	}
	return uint64(n), nil
}

// checkOutput refuses to write over what is there, and over what is no file in any case.
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

// write writes the trace. After an error nothing of the output is left.
func (v *writing) write(ctx context.Context, found *convert.Trace, o *convert.Output, path string) (convert.Written, error) {
	if !o.Takes(found.Format) {
		return convert.Written{}, usagef("%s: files of %s are made of Pando files: pando convert %s FILE first", found.Path, o.Name, found.Path)
	}
	bar := newProgress("converting", o.Unit, 0)
	opt := convert.WriteOptions{By: v.by, Store: v.options, EventChunk: v.chunks[0], DefinitionChunk: v.chunks[1], Replace: v.force, Discard: v.discard, Accept: v.accept, Progress: bar.report}
	defer bar.done()
	return o.Write(ctx, found, path, opt)
}

// accept makes warnings errors if that is asked for.
func (v *writing) accept(warnings []trace.Warning) error {
	if !v.strict || len(warnings) == 0 {
		return nil
	}
	return fmt.Errorf("--strict: %s; the first: %s", report.Plural(len(warnings), "kind of warning", "kinds of warnings"), report.WarningText(&warnings[0]))
}
