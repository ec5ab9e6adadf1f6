package pairing

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// EndBatch is some ends of messages in a run of a slice, in order: those that have their partner in the same slice.
type EndBatch struct {
	Run   *slice.Run
	Place uint32      // of the run's first event among the events of the slice
	At    []uint32    // of each, its place in the run
	Times []int64     // in ticks
	Words [][4]uint64 // peer's rank, communicator, tag, length
	Skips []uint32    // free sends that a receive passes over
	Sends []bool
}

// batchedEnds is the most ends of a batch.
const batchedEnds = 1024

func (b *EndBatch) clear() {
	b.At, b.Times, b.Words, b.Skips, b.Sends = b.At[:0], b.Times[:0], b.Words[:0], b.Skips[:0], b.Sends[:0]
}

func (b *EndBatch) add(at uint32, t int64, words [4]uint64, skip uint32, send bool) {
	b.At, b.Times, b.Words = append(b.At, at), append(b.Times, t), append(b.Words, words)
	b.Skips, b.Sends = append(b.Skips, skip), append(b.Sends, send)
}

func (b *EndBatch) Ordinal(i int) uint64 { return b.Run.First + uint64(b.At[i]) }

// EndReader goes through the ends of a slice, lane by lane.
type EndReader struct {
	batch  EndBatch
	Do     func(*EndBatch) error // with each batch, which is valid until it returns
	Events int                   // of the lanes up to here
}

// Lane goes through the next lane, whose ends have marks.
func (r *EndReader) Lane(e *slice.Events, all []slice.PairMark) error {
	marks := pairMarks{marks: all}
	at := 0
	for i := range e.Runs {
		if err := r.run(e, i, at, &marks); err != nil {
			return err
		}
		at += e.Runs[i].Events
	}
	r.Events += at
	return nil
}

// run goes through a run, whose first event has a place among those of the lane.
func (r *EndReader) run(e *slice.Events, i, at int, marks *pairMarks) error {
	b, run, info, ends := &r.batch, &e.Runs[i], e.Dictionary.Info(), e.Ends(i)
	b.Run, b.Place = run, uint32(r.Events+at)
	for j, leaf := range e.Leaves[at : at+run.Events] {
		class := info[leaf].Class
		if class != shape.Send && class != shape.Receive {
			continue
		}
		skip := marks.next()
		if skip == slice.Unpaired {
			continue
		}
		words, err := ends.Of(j, leaf)
		if err != nil {
			return err
		}
		if b.add(uint32(j), e.Times[at+j], words, skip, class == shape.Send); len(b.At) < batchedEnds {
			continue
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
	return r.flush()
}

func (r *EndReader) flush() error {
	if len(r.batch.At) == 0 {
		return nil
	}
	defer r.batch.clear()
	return r.Do(&r.batch)
}

// pairMarks are the marks of the ends of a block, to be taken in order.
type pairMarks struct {
	marks []slice.PairMark
	end   uint32 // number of the next one
}

// next returns what the next end's mark says, 0 if it has none.
func (m *pairMarks) next() (skip uint32) {
	if len(m.marks) > 0 && m.marks[0].Endpoint <= m.end {
		if skip = m.marks[0].Skip; m.end-m.marks[0].Endpoint+1 == m.marks[0].Ends {
			m.marks = m.marks[1:]
		}
	}
	m.end++
	return skip
}

// CheckMarks checks that the pair marks of a lane in a slice are of ends that it has, and that no send passes over others.
func CheckMarks(marks []slice.PairMark, e *slice.Events) error {
	if len(marks) == 0 {
		return nil
	}
	m, info := pairMarks{marks: marks}, e.Dictionary.Info()
	for _, leaf := range e.Leaves {
		class := info[leaf].Class
		if class != shape.Send && class != shape.Receive {
			continue
		}
		if skip := m.next(); class == shape.Send && skip != 0 && skip != slice.Unpaired {
			return format.Corruptf(marksSection, -1, "end %d is a send that passes over others", m.end-1)
		}
	}
	if len(m.marks) > 0 {
		return format.Corruptf(marksSection, -1, "a pair mark of end %d, of %d", max(m.marks[0].Endpoint, m.end), m.end)
	}
	return nil
}

const marksSection = "marks block"

// ChannelNumbers numbers the channels of ends.
type ChannelNumbers struct {
	Ids         func(location uint32) uint64
	Definitions *trace.Definitions
	Processes   map[ProcessID]bool // whose messages are wanted; nil for all
	Meet        func(peer uint64)  // called with a location of the other process of each wanted channel; may be nil
	Numbers     map[ChannelKey]uint32
}

// Instead of a code, an end may have one of these.
const (
	NoEnd        = 0       // there is none, or it is not looked at
	Unresolved   = 1 << 31 // it is of a rank that is not known
	Unwanted     = Unresolved + 1
	PairedEnd    = Unresolved + 2 // it has been paired before
	MostChannels = 1<<30 - 1
)

// Code returns the code of the channel of an end, noEnd if it would be one channel too many: twice its number, plus 1
// for a receive and 2 for a send.
func (c *ChannelNumbers) Code(b *EndBatch, i, most int) uint32 {
	id, words := c.Ids(b.Run.Location), &b.Words[i]
	peer, ok := c.Definitions.RankLocation(words[1], words[0], id)
	if !ok {
		return Unresolved
	}
	k := ChannelKey{From: ProcessOf(c.Definitions, id), To: ProcessOf(c.Definitions, peer), Communicator: words[1], Tag: words[2]}
	if !c.wants(&k, peer) {
		return Unwanted
	}
	if !b.Sends[i] {
		k.From, k.To = k.To, k.From
	}
	n, ok := c.Numbers[k]
	if !ok {
		if n = uint32(len(c.Numbers)); int(n) >= most {
			return NoEnd
		}
		c.Numbers[k] = n
	}
	return 2*n + 1 + uint32(B2i(b.Sends[i]))
}

// wants reports whether messages between two processes are wanted, the second one that of a location.
func (c *ChannelNumbers) wants(k *ChannelKey, peer uint64) bool {
	if c.Processes == nil {
		return true
	}
	if !c.Processes[k.From] {
		return c.Processes[k.To]
	}
	c.Meet(peer)
	return true
}
