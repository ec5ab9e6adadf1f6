package otf

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// An event file that is cut at the end of a line looks like a shorter one. Two things tell: from version 1.12 on the library ends each
// event file with a time and a process that no record follows; and a process whose calls were never left may have gone on.

// fileEnds says how the event files of a trace end that were read to their ends.
type fileEnds struct {
	mu     sync.Mutex
	closes bool // the library that wrote the trace ends its files with a time
	closed bool // some file ends with one
	open   []openEnd
	known  map[string]int // places in open
}

// openEnd is an event file that does not end with a time.
type openEnd struct {
	path  string
	calls int  // that are not left at its end, of one of its processes
	cut   bool // the file is compressed and ends within its compression
}

// note takes in the end of a file. It may be read several times, for one process after the other.
func (f *fileEnds) note(path string, closed, cut bool, calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if closed && !cut {
		f.closed = true
		return
	}
	i, ok := f.known[path]
	if !ok {
		if f.known == nil {
			f.known = map[string]int{}
		}
		i = len(f.open)
		f.known[path] = i
		f.open = append(f.open, openEnd{path: path})
	}
	f.open[i].calls, f.open[i].cut = max(f.open[i].calls, calls), cut
}

// warning returns what the ends tell; the count is 0 if that is nothing.
func (f *fileEnds) warning() trace.Warning {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := trace.Warning{Kind: "event file that may be cut off"}
	for _, o := range f.open {
		missed := f.closes || f.closed
		if !missed && !o.cut && o.calls == 0 {
			continue
		}
		if w.Count++; w.Count > 1 {
			continue
		}
		w.Example = o.path
		if o.cut {
			w.Example += " ends within its compression"
		} else if missed {
			w.Example += " ends without the time that ends such files"
		}
		if o.calls > 0 {
			w.Example += fmt.Sprintf(", calls that are not left: %d", o.calls)
		}
	}
	return w
}

// endBytes is more than a line with a time, and another with a process, take.
const endBytes = 64

// lastLines is the end of a text that comes in pieces.
type lastLines struct{ b []byte }

// add takes in the next piece.
func (l *lastLines) add(piece []byte) {
	piece = piece[max(0, len(piece)-endBytes):]
	l.b = append(l.b[:copy(l.b, l.b[max(0, min(len(l.b), len(l.b)+len(piece)-endBytes)):])], piece...)
}

// closed reports whether the text ends with a time and a process.
func (l *lastLines) closed() bool {
	lines := bytes.Split(bytes.TrimRight(l.b, "\n"), []byte("\n"))
	n := len(lines)
	return n > 1 && len(lines[n-1]) > 1 && lines[n-1][0] == '*' && isHex(lines[n-1][1:]) && isHex(lines[n-2])
}

func isHex(b []byte) bool {
	for _, c := range b {
		if classes[c] >= notDigit {
			return false
		}
	}
	return len(b) > 0
}

// noteEnd notes how an event file ends.
func (r *reader) noteEnd() {
	if r.grammar != eventGrammar || r.snapshots || r.gaps > 0 || len(bytes.TrimSpace(r.rest())) > 0 {
		return
	}
	calls := 0
	for _, s := range r.sinks {
		calls = max(calls, len(s.calls.open)+s.calls.deeper)
	}
	z, compressed := r.in.(*inflater)
	r.ends.note(r.path, r.last.closed(), compressed && z.cut, calls)
}
