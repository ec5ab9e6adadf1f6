package recording

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/pandotrace/pando/trace"
)

// The layout, see spec/recording.
const (
	magic       = "PANDOREC"
	version     = 2
	headSize    = 4096
	binHeader   = 32
	minBin      = 16 << 10
	maxBin      = 1 << 20
	maxDepth    = 256
	frameSize   = 24
	atStack     = 64 // behind the header of a location's bin
	atFrozen    = atStack + maxDepth*frameSize
	frozenSize  = 16
	hostSize    = 128
	programSize = 512
	filterSize  = 1024
	classesSize = 512
	atAttention = 1984
	atSteerable = 1988
	atAsked     = 1992
	atAnswered  = 1996
	atPaused    = 2004
	phasesSize  = 512
	atChanged   = 2008
	filtered    = 2 // flag of an open call that is counted only
	noRank      = 1<<32 - 1
)

// Kinds of bins.
const (
	binLocation    = 1
	binProfile     = 2
	binDefinitions = 3
	binCalls       = 4
	binEvents      = 5
	binMetrics     = 6
)

const (
	protected = 64
	classes   = 128
)

const stateClosed = 1

// modeLast is the mode in which the oldest events are given up.
const modeLast = 2

// endOfTime is more ticks than any clock has.
const endOfTime = 1 << 63

// Reductions: which calls are given up first.
const (
	byDuration   = 0
	byLevel      = 1
	byClass      = 2
	byOccurrence = 3
)

// maxRegionClasses bounds the classes of regions that go first.
const maxRegionClasses = 16

// Kinds of clocks.
const (
	clockMonotonic = 1
	clockCounter   = 2
)

var le = binary.LittleEndian

// Detect reports whether a file that begins with prefix is a recording.
func Detect(prefix []byte) bool { return bytes.HasPrefix(prefix, []byte(magic)) }

// pair is a time of a file's clock and the time of day at that moment, in nanoseconds since 1970.
type pair struct {
	ticks uint64
	real  int64
}

// head is the first page of a file.
type head struct {
	bin, bins   int
	run         uint64
	process     uint32
	rank, ranks uint32
	clock       uint32
	mode, state uint32
	floor       uint32
	reduction   uint32
	classes     uint32 // of regions
	horizon     uint64 // what ended before is not kept
	stopped     uint64 // what ended then or later is not kept; 0: nothing of that kind
	until       uint64 // what happened later is not part of the recording; 0: everything is
	noMetrics   bool
	start, last pair
	host, name  string
	filter      string // its rules
	steerable   bool
	waiting     bool // a request was not yet looked at
	paused      bool
	changed     bool   // recording was paused, or had another filter, for a while
	classNames  string // patterns for names, of classes of regions
	phases      string // patterns for names, and how many of their calls were recorded
	every       uint32 // the most calls for one that was recorded
}

// end is the time behind the last event that counts.
func (h *head) end() uint64 {
	end := ^uint64(0)
	if h.stopped != 0 {
		end = h.stopped - 1
	}
	if h.until != 0 {
		end = min(end, h.until)
	}
	return end
}

// bin is a bin that is in use.
type bin struct {
	at         int64
	kind       uint32
	location   uint32
	class      uint32
	generation uint32
	base       uint64
}

// file is one recording.
type file struct {
	path string
	read func(p []byte, at int64) error
	head
	index    int
	bins     []bin
	marks    marks
	warnings *trace.Warnings
}

func (f *file) corrupt(at int64, format string, args ...any) error {
	return &trace.SourceError{Format: "recording", File: f.path, Offset: at, Problem: fmt.Sprintf(format, args...), Class: trace.ErrCorrupt}
}

func openFile(path string, warnings *trace.Warnings) (*file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, trace.Unreadable("recording", path, 0, err)
	}
	f := &file{path: path, warnings: warnings, read: func(p []byte, at int64) error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = file.ReadAt(p, at)
		return err
	}}
	return f, f.open(info.Size())
}

// open reads the head and the headers of the bins.
func (f *file) open(size int64) error {
	page := make([]byte, headSize)
	if size < headSize {
		return f.corrupt(0, "a file of %d bytes is no recording", size)
	}
	if err := f.read(page, 0); err != nil {
		return trace.Unreadable("recording", f.path, 0, err)
	}
	if err := f.parse(page); err != nil {
		return err
	}
	whole := int((size - headSize) / int64(f.bin))
	if whole < f.head.bins {
		f.warnings.Add("torn recording", "%s holds %d of %d bins", f.path, whole, f.head.bins)
	}
	header := make([]byte, binHeader)
	for i := range min(whole, f.head.bins) {
		at := headSize + int64(i)*int64(f.bin)
		if err := f.read(header, at); err != nil {
			return trace.Unreadable("recording", f.path, at, err)
		}
		f.take(bin{at, le.Uint32(header), le.Uint32(header[4:]), le.Uint32(header[8:]), le.Uint32(header[12:]), le.Uint64(header[16:])})
	}
	return nil
}

// take lists a bin, if its records count.
func (f *file) take(b bin) {
	switch {
	case b.kind == 0 || b.kind == binMetrics && f.noMetrics || b.kind == binCalls && b.class < min(f.floor, protected):
	case b.kind > binMetrics:
		f.lost(b, "a bin of kind %d", b.kind)
	case b.kind == binCalls && b.class >= classes:
		f.lost(b, "calls of class %d", b.class)
	default:
		f.bins = append(f.bins, b)
	}
}

// lost tells of a bin that cannot be read. Others are read all the same.
func (f *file) lost(b bin, format string, args ...any) {
	f.warnings.Add("bin that cannot be read", "%s, byte %d: %s", f.path, b.at, fmt.Sprintf(format, args...))
}

func (f *file) parse(p []byte) error {
	h := &f.head
	if !Detect(p) {
		return f.corrupt(0, "no recording")
	}
	if v := le.Uint32(p[8:]); v != version {
		return &trace.SourceError{Format: "recording", File: f.path, Offset: 8, Problem: fmt.Sprintf("version %d of the layout", v), Class: trace.ErrUnsupported}
	}
	bin, bins := le.Uint32(p[16:]), le.Uint32(p[20:])
	switch {
	case le.Uint32(p[12:]) != headSize:
		return f.corrupt(12, "a head of %d bytes", le.Uint32(p[12:]))
	case bin < minBin || bin > maxBin || bin&(bin-1) != 0:
		return f.corrupt(16, "bins of %d bytes", bin)
	case bins > 1<<31-1:
		return f.corrupt(20, "%d bins", bins)
	}
	h.bin, h.bins = int(bin), int(bins)
	h.run, h.process, h.rank, h.ranks = le.Uint64(p[24:]), le.Uint32(p[32:]), le.Uint32(p[36:]), le.Uint32(p[40:])
	h.clock, h.mode, h.state, h.floor = le.Uint32(p[44:]), le.Uint32(p[48:]), le.Uint32(p[56:]), le.Uint32(p[60:])
	h.phases, h.every = text(p[896:896+phasesSize]), le.Uint32(p[140:])
	h.reduction, h.classes = le.Uint32(p[52:]), le.Uint32(p[144:])
	h.horizon, h.stopped, h.until = le.Uint64(p[64:]), le.Uint64(p[72:]), le.Uint64(p[152:])
	h.noMetrics = le.Uint32(p[148:]) != 0
	h.start = pairAt(p[80:])
	h.last = pairAt(p[104+16*(le.Uint32(p[96:])%2):])
	h.filter, h.classNames = text(p[2048:2048+filterSize]), text(p[1408:1408+classesSize])
	h.steerable, h.waiting = le.Uint32(p[atSteerable:]) == 1, le.Uint32(p[atAsked:]) != le.Uint32(p[atAnswered:])
	h.paused = le.Uint32(p[atPaused:]) != 0
	h.changed = le.Uint32(p[atChanged:]) != 0
	h.host, h.name = text(p[256:256+hostSize]), text(p[384:384+programSize])
	switch {
	case h.start.ticks >= endOfTime:
		return f.corrupt(80, "a begin at tick %d", h.start.ticks)
	case h.clock != clockMonotonic && h.clock != clockCounter:
		return f.corrupt(44, "a clock of kind %d", h.clock)
	case h.reduction > byOccurrence:
		return &trace.SourceError{Format: "recording", File: f.path, Offset: 52, Problem: fmt.Sprintf("reduction %d", h.reduction), Class: trace.ErrUnsupported}
	case h.classes > maxRegionClasses || h.reduction == byClass && h.classes == 0:
		return f.corrupt(144, "%d classes of regions", h.classes)
	}
	return nil
}

func pairAt(p []byte) pair { return pair{le.Uint64(p), int64(le.Uint64(p[8:]))} }

// text returns a string that ends at a zero.
func text(p []byte) string {
	s, _, _ := bytes.Cut(p, []byte{0})
	return string(s)
}

// load reads a bin into a buffer. A running program may have given it up since the file was opened: then it returns false.
func (f *file) load(b *bin, buf []byte) (bool, error) {
	switch err := f.read(buf, b.at); {
	case err == io.EOF:
		return false, nil
	case err != nil:
		return false, trace.Unreadable("recording", f.path, b.at, err)
	}
	if le.Uint32(buf) != b.kind || le.Uint32(buf[12:]) != b.generation {
		f.warnings.Add("bin given up while it was read", "%s, byte %d", f.path, b.at)
		return false, nil
	}
	return true, nil
}
