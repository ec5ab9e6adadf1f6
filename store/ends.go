package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/trace"
)

// endBatch is some ends of messages in a run of a slice, in order: those that have their partner in the same slice.
type endBatch struct {
	run   *encode.Run
	place uint32      // of the run's first event among the events of the slice
	at    []uint32    // of each, its place in the run
	times []int64     // in ticks
	words [][4]uint64 // peer's rank, communicator, tag, length
	skips []uint32    // free sends that a receive passes over
	sends []bool
}

// batchedEnds is the most ends of a batch.
const batchedEnds = 1024

func (b *endBatch) clear() {
	b.at, b.times, b.words, b.skips, b.sends = b.at[:0], b.times[:0], b.words[:0], b.skips[:0], b.sends[:0]
}

func (b *endBatch) add(at uint32, t int64, words [4]uint64, skip uint32, send bool) {
	b.at, b.times, b.words = append(b.at, at), append(b.times, t), append(b.words, words)
	b.skips, b.sends = append(b.skips, skip), append(b.sends, send)
}

func (b *endBatch) ordinal(i int) uint64 { return b.run.First + uint64(b.at[i]) }

// endReader goes through the ends of a slice, lane by lane.
type endReader struct {
	batch  endBatch
	do     func(*endBatch) error // with each batch, which is valid until it returns
	events int                   // of the lanes up to here
}

// lane goes through the next lane.
func (r *endReader) lane(e *encode.Events) error {
	marks := pairMarks{marks: e.Pairs}
	at := 0
	for i := range e.Runs {
		if err := r.run(e, i, at, &marks); err != nil {
			return err
		}
		at += e.Runs[i].Events
	}
	r.events += at
	return nil
}

// run goes through a run, whose first event has a place among those of the lane.
func (r *endReader) run(e *encode.Events, i, at int, marks *pairMarks) error {
	b, run, info, ends := &r.batch, &e.Runs[i], e.Dictionary.Info(), e.Ends(i)
	b.run, b.place = run, uint32(r.events+at)
	for j, leaf := range e.Leaves[at : at+run.Events] {
		class := info[leaf].Class
		if class != encode.Send && class != encode.Receive {
			continue
		}
		skip := marks.next()
		if skip == encode.Unpaired {
			continue
		}
		words, err := ends.Of(j, leaf)
		if err != nil {
			return err
		}
		if b.add(uint32(j), e.Times[at+j], words, skip, class == encode.Send); len(b.at) < batchedEnds {
			continue
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
	return r.flush()
}

func (r *endReader) flush() error {
	if len(r.batch.at) == 0 {
		return nil
	}
	defer r.batch.clear()
	return r.do(&r.batch)
}

// pairMarks are the marks of the ends of a block, to be taken in order.
type pairMarks struct {
	marks []encode.PairMark
	end   uint32 // number of the next one
}

// next returns what the next end's mark says, 0 if it has none.
func (m *pairMarks) next() (skip uint32) {
	if len(m.marks) > 0 && m.marks[0].Endpoint == m.end {
		skip, m.marks = m.marks[0].Skip, m.marks[1:]
	}
	m.end++
	return skip
}

// channelNumbers numbers the channels of ends.
type channelNumbers struct {
	ids         func(location uint32) uint64
	definitions *trace.Definitions
	processes   map[processID]bool // whose messages are wanted; nil for all
	meet        func(peer uint64)  // is told a location of the other process of a wanted channel; nil if nobody asks
	numbers     map[channelKey]uint32
}

// Instead of a code, an end may have one of these.
const (
	noEnd        = 0       // there is none, or it is not looked at
	unresolved   = 1 << 31 // it is of a rank that is not known
	unwanted     = unresolved + 1
	pairedEnd    = unresolved + 2 // it has been paired before
	mostChannels = 1<<30 - 1
)

// code returns the code of the channel of an end, noEnd if it would be a new one and there are so many already: twice its number, plus 1
// for a receive and 2 for a send.
func (c *channelNumbers) code(b *endBatch, i, most int) uint32 {
	id, words := c.ids(b.run.Location), &b.words[i]
	peer, ok := c.definitions.RankLocation(words[1], words[0], id)
	if !ok {
		return unresolved
	}
	k := channelKey{from: processOf(c.definitions, id), to: processOf(c.definitions, peer), communicator: words[1], tag: words[2]}
	if !c.wants(&k, peer) {
		return unwanted
	}
	if !b.sends[i] {
		k.from, k.to = k.to, k.from
	}
	n, ok := c.numbers[k]
	if !ok {
		if n = uint32(len(c.numbers)); int(n) >= most {
			return noEnd
		}
		c.numbers[k] = n
	}
	return 2*n + 1 + uint32(b2i(b.sends[i]))
}

// wants reports whether messages between two processes are wanted, the second one that of a location.
func (c *channelNumbers) wants(k *channelKey, peer uint64) bool {
	if c.processes == nil {
		return true
	}
	if !c.processes[k.from] {
		return c.processes[k.to]
	}
	c.meet(peer)
	return true
}
