package otf

import (
	"bytes"
	"fmt"
	"math"

	"github.com/pandotrace/pando/trace"
)

// maxSpan bounds the distance of times from the epoch, in ticks: what a Pando file has room for.
const maxSpan = 1 << 61

// context is what the readers of all files of a trace share.
type context struct {
	epoch    uint64
	lenient  bool
	warnings trace.Warnings
	ends     fileEnds
	special  special
}

// relative returns a time in ticks from the epoch; ok is false if it is too far away.
func (c *context) relative(t uint64) (ticks int64, ok bool) {
	if t < c.epoch {
		return int64(t - c.epoch), c.epoch-t <= maxSpan
	}
	return int64(t - c.epoch), t-c.epoch <= maxSpan
}

// reader reads the records of one file. It skips processes without a consumer.
type reader struct {
	*text
	*context
	grammar  *grammar
	scope    *scope
	streamID uint64
	// snapshots says which records of an event file are read: those of snapshots, or the others.
	snapshots bool
	// skipped says that there were records of the other sort.
	skipped bool
	// quiet says that what is odd about the file as a whole is known.
	quiet bool

	clock   uint64 // the time that the file said last
	time    int64  // the same, relative to the epoch
	stamped bool
	process uint32 // that the file said last
	named   bool
	slots   *lookup // the numbers of processes among sinks
	sinks   []*sink
	cur     *sink // of the process; nil if it has none
	max     int   // records in a batch

	last   lastLines    // the end of what was read
	lineAt int          // where the current line begins
	attrs  []trace.Attr // of the next record
	bytes  []longValue  // of the next record
	values [maxSlots]uint64
	list   []uint64     // members of the lists of a record
	source uint64       // of a record, 0 if it has none
	extra  []trace.Attr // attributes that are made of fields
}

// sink is where the records of one process go, and what has to be known of it from record to record.
type sink struct {
	location uint64
	// batch is nil if nobody wants the records.
	batch *trace.Batch
	calls calls
	ends  []collective // of collective operations, in order of time
	begun []collective // that have no end yet
	last  int64        // the latest of the ends, when the file has ended
	comms commCache
}

// maxText bounds the bytes of text in a batch.
const maxText = 16 << 20

func (s *sink) full(max int) bool { return s.batch.Len() >= max || len(s.batch.Text) >= maxText }

// newReader reads a file for some processes; one for whole files is the only sink of theirs.
func newReader(t *text, c *context, g *grammar, sc *scope, stream uint64, sinks []*sink) *reader {
	r := &reader{text: t, context: c, grammar: g, scope: sc, streamID: stream, sinks: sinks, max: maxRecords}
	if !g.timed() {
		r.stamped, r.named, r.cur = true, true, sinks[0]
		return r
	}
	r.snapshots = g.snapshots
	r.time = math.MinInt64
	r.slots = newLookup(len(sinks))
	for i, s := range sinks {
		r.slots.add(uint32(s.location), uint32(i))
	}
	return r
}

// maxRecords is a number of records that no batch has.
const maxRecords = 1 << 40

// read takes in the lines of the window, of the next one if all were.
func (r *reader) read() error {
	if r.pos == len(r.data) {
		if err := r.fill(); err != nil {
			return err
		}
	}
	return r.lines()
}

// lines takes in the lines of the window until one of them does not fit into its batch.
func (r *reader) lines() error {
	events := r.grammar == eventGrammar && !r.snapshots
	for r.pos < len(r.data) {
		if events {
			r.plain()
		}
		if r.pos == len(r.data) {
			return nil
		}
		r.lineAt = r.pos
		if done := r.line(); !done {
			r.pos = r.lineAt
			return nil
		}
		if r.problem != "" || r.large {
			if err := r.check(); err != nil {
				return err
			}
		}
		r.skip()
	}
	return nil
}

// where names the current line.
func (r *reader) where() string {
	const most = 60
	line := r.scanner.line(r.lineAt)
	return fmt.Sprintf("byte %d of %s: %q", r.at(r.lineAt), r.path, line[:min(len(line), most)])
}

// check tells the problem that the current line had: as an error, or where the reader is lenient as a warning.
func (r *reader) check() error {
	problem, large := r.problem, r.large
	r.problem, r.large = "", false
	switch {
	case problem != "" && !r.lenient:
		r.pos = r.lineAt
		return corrupt(r.path, r.at(r.lineAt), "%s: %.60q", problem, r.scanner.line(r.lineAt))
	case problem != "":
		r.warnings.Add("damaged line", "%s, %s", problem, r.where())
	case large:
		r.warnings.Add("number too large", "%s", r.where())
	}
	return nil
}

// settle appends the ends of collective operations that are over by now. It returns false if the batch is full.
func (r *reader) settle(s *sink) bool {
	for !s.full(r.max) {
		if !r.due(s) {
			return true
		}
		r.putEnd(s)
	}
	return false
}

// due reports whether a collective operation of a process is over by now whose end has not been appended.
func (r *reader) due(s *sink) bool { return len(s.ends) > 0 && s.ends[0].time <= r.time }

// fill reads on. Behind a gap nothing is known of time and process.
func (r *reader) fill() error {
	gaps := r.gaps
	if r.grammar == eventGrammar {
		r.last.add(r.data)
	}
	err := r.text.fill()
	if r.gaps > gaps && r.grammar.timed() {
		r.stamped, r.named, r.cur = false, false, nil
		r.forget()
	}
	return err
}

// conclude appends what is left of a process when the file has ended. It returns false if the batch is full.
func (r *reader) conclude(s *sink) bool {
	for len(s.ends)+len(s.begun) > 0 {
		switch {
		case s.full(r.max):
			return false
		case len(s.ends) > 0:
			s.last = s.ends[0].time
			r.putEnd(s)
		default:
			r.putUnended(s, max(r.time, s.last))
		}
	}
	return true
}

// ending notes what is left of the file behind its last line, and attributes that no record took.
func (r *reader) ending() {
	r.noteEnd()
	if r.quiet {
		return
	}
	if rest := bytes.TrimSpace(r.rest()); len(rest) > 0 {
		r.warnings.Add("last line without an end", "byte %d of %s: %.60q", r.base, r.path, rest)
	}
	if len(r.attrs)+len(r.bytes) > 0 {
		r.warnings.Add("attributes without a record", "at the end of %s", r.path)
	}
	r.forget()
}
