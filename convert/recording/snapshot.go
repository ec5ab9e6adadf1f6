package recording

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/pandotrace/pando/internal/ticks"
	"github.com/pandotrace/pando/trace"
)

// Moment is a time by both clocks of recorders, and the time of day.
type Moment struct {
	Counter, Monotonic uint64
	Real               int64 // nanoseconds since 1970
}

// Now returns this moment, by the clocks of this machine.
func Now() Moment {
	return Moment{ticks.Counter(), uint64(ticks.Nanoseconds()), time.Now().UnixNano()}
}

// Snapshot copies what a recording that is being made holds up to a moment that has passed, of the last d before it, or all if d is 0. The process must be one of this machine; it is not held up. Calls that ended within
// that time come whole; those that were open are open in the copy. What is given up meanwhile is left out, and what else is as old.
//
// The copy is a recording, like that of a program that was killed at that moment.
func Snapshot(ctx context.Context, from, to string, at Moment, d time.Duration, progress trace.Progress) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return trace.Unreadable("recording", from, 0, err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if e := out.Close(); err == nil {
			err = e
		}
	}()
	c := copier{path: from, in: in, out: out, page: make([]byte, headSize)}
	if err := c.read(c.page, 0); err != nil {
		return err
	}
	f := &file{path: from}
	if err := f.parse(c.page); err != nil {
		return err
	}
	c.head = f.head
	if err := c.bins(ctx, progress); err != nil {
		return err
	}
	return c.finish(at, d)
}

// copier copies a recording whose process goes on.
type copier struct {
	path string
	in   *os.File
	out  *os.File
	head
	page    []byte // the head
	written int    // bins
	begun   map[uint32]bool
}

func (c *copier) read(p []byte, at int64) error {
	if _, err := c.in.ReadAt(p, at); err != nil && err != io.EOF {
		return trace.Unreadable("recording", c.path, at, err)
	} else if err == io.EOF {
		return &trace.SourceError{Format: "recording", File: c.path, Offset: at, Problem: "the file ends early", Class: trace.ErrCorrupt}
	}
	return nil
}

// bins copies the bins of locations first: what is open when they are read either stays so, or is in a bin that is read later. A location that begins after that is left out.
func (c *copier) bins(ctx context.Context, progress trace.Progress) error {
	c.begun = map[uint32]bool{}
	buf := make([]byte, c.bin)
	for round, locations := range []bool{true, false} {
		for i := range c.head.bins {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress.Report(int64(round*c.head.bins+i)*int64(c.bin), int64(2*c.head.bins)*int64(c.bin))
			if ok, err := c.copied(buf, headSize+int64(i)*int64(c.bin), locations); err != nil {
				return err
			} else if !ok {
				continue
			}
			if _, err := c.out.WriteAt(buf, headSize+int64(c.written)*int64(c.bin)); err != nil {
				return err
			}
			c.written++
		}
	}
	return nil
}

// copied reads a bin, if it is one of a location as asked for, and is not handed out anew meanwhile.
func (c *copier) copied(buf []byte, at int64, location bool) (bool, error) {
	header := make([]byte, binHeader)
	if err := c.read(header, at); err != nil {
		return false, err
	}
	kind, of, generation := le.Uint32(header), le.Uint32(header[4:]), le.Uint32(header[12:])
	if kind == 0 || location != (kind == binLocation) {
		return false, nil
	}
	if location {
		c.begun[of] = true
		return true, c.readOpen(buf, at)
	}
	if kind != binDefinitions && !c.begun[of] {
		return false, nil
	}
	if err := c.read(buf, at); err != nil {
		return false, err
	}
	err := c.read(header, at)
	same := func(p []byte) bool { return le.Uint32(p) == kind && le.Uint32(p[12:]) == generation }
	return same(buf) && same(header), err
}

// readOpen reads the bin of a location until its open calls are the same twice.
func (c *copier) readOpen(buf []byte, at int64) error {
	const tries = 10
	before := make([]byte, c.bin)
	for range tries {
		if err := c.read(before, at); err != nil {
			return err
		}
		if err := c.read(buf, at); err != nil {
			return err
		}
		if sameOpen(before[binHeader:], buf[binHeader:]) {
			break
		}
	}
	return nil
}

// sameOpen reports whether two copies of what the bin of a location holds have the same open calls.
func sameOpen(a, b []byte) bool {
	depth := le.Uint32(a[4:])
	if depth != le.Uint32(b[4:]) {
		return false
	}
	for i := range int(min(depth, maxDepth)) {
		x, y := a[atStack+i*frameSize:], b[atStack+i*frameSize:]
		if le.Uint64(x) != le.Uint64(y) || le.Uint32(x[8:]) != le.Uint32(y[8:]) {
			return false
		}
	}
	return true
}

// finish writes the head: with what was given up by now, and the pair of times of the moment.
func (c *copier) finish(at Moment, d time.Duration) error {
	now := make([]byte, headSize)
	if err := c.read(now, 0); err != nil {
		return err
	}
	until := at.Monotonic
	if c.clock == clockCounter {
		until = at.Counter
	}
	if le.Uint32(now[56:]) == stateClosed {
		until = min(until, le.Uint64(now[152:]))
	}
	page := now
	le.PutUint32(page[20:], uint32(c.written))
	le.PutUint32(page[56:], 0)
	le.PutUint64(page[64:], max(le.Uint64(now[64:]), c.horizon(until, at.Real, d)))
	slot := le.Uint32(now[96:]) + 1
	pair := page[104+16*(slot%2):]
	le.PutUint64(pair, until)
	le.PutUint64(pair[8:], uint64(at.Real))
	le.PutUint32(page[96:], slot)
	le.PutUint64(page[152:], until)
	clear(page[atAttention : atAttention+20]) // nobody can steer a copy
	_, err := c.out.WriteAt(page, 0)
	return err
}

// horizon is the time that is d before a time of the recorder's clock, by what both clocks have counted since the recording began.
func (c *copier) horizon(until uint64, real int64, d time.Duration) uint64 {
	elapsed := real - c.start.real
	if d <= 0 || elapsed <= 0 || until < c.start.ticks {
		return 0
	}
	before := float64(d) / float64(elapsed) * float64(until-c.start.ticks)
	if before >= float64(until) {
		return 0
	}
	return until - uint64(before)
}
