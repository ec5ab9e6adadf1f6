package store

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// points adds up the collective operations and metric values of one location in one slice. Keys lack the location.
type points struct {
	collectives []collectiveSum
	samples     []index.MetricRow
	places      pointPlaces
}

// collectiveSum is what collective operations of one kind on one communicator add up to.
type collectiveSum struct {
	key            index.Key
	count          uint64
	sent, received trace.Sum
}

// pointPlaces finds the rows of keys.
type pointPlaces struct{ collectives, samples places }

// places numbers keys in the order in which they come. What comes again tends to come in the same order.
type places struct {
	keys  []index.Key
	place map[index.Key]int
	last  int
}

// of returns the place of a key, new if it has none yet.
func (p *places) of(k index.Key) (at int, isNew bool) {
	for _, guess := range [...]int{p.last, p.last + 1} {
		if guess < len(p.keys) && p.keys[guess] == k {
			p.last = guess
			return guess, false
		}
	}
	at, ok := p.place[k]
	if !ok {
		if p.place == nil {
			p.place = map[index.Key]int{}
		}
		at = len(p.keys)
		p.keys, p.place[k] = append(p.keys, k), at
	}
	p.last = at
	return at, !ok
}

func (p *places) reset() {
	p.keys, p.last = p.keys[:0], 0
	clear(p.place)
}

// isPoint reports whether events of a kind are added up that are neither of calls nor of messages.
func isPoint(k trace.Kind) bool {
	return k == trace.KindMpiCollectiveEnd || k == trace.KindNonBlockingCollectiveComplete || k == trace.KindMetric
}

// point adds such an event.
func (p *points) point(k trace.Kind, at int64, words []uint64) {
	switch k {
	case trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete:
		p.collective(words)
	case trace.KindMetric:
		for i := range words[1] {
			p.sample(index.Key{0, words[0], i, uint64(trace.ValueType(words[2+2*i]))}, at, words[3+2*i])
		}
	}
}

// collective adds the end of an operation.
func (p *points) collective(words []uint64) {
	k := index.Key{0, words[0], words[1]}
	at, isNew := p.places.collectives.of(k)
	if isNew {
		p.collectives = append(p.collectives, collectiveSum{key: k})
	}
	s := &p.collectives[at]
	s.count++
	s.sent.Add(words[3])
	s.received.Add(words[4])
}

// sample adds a value of a metric.
func (p *points) sample(k index.Key, at int64, value uint64) {
	place, isNew := p.places.samples.of(k)
	if isNew {
		p.samples = append(p.samples, index.MetricRow{Key: k})
	}
	s := index.Sample(at, value)
	p.samples[place].Join(k.KeyType(), &s)
}

// reset forgets what was added up.
func (p *points) reset() {
	p.collectives, p.samples = p.collectives[:0], p.samples[:0]
	p.places.collectives.reset()
	p.places.samples.reset()
}

// end gives what was added up to a node, and forgets it.
func (p *points) end(location uint32, slice uint64, to *nodeTotals) {
	if len(p.collectives)+len(p.samples) == 0 {
		return
	}
	for _, c := range p.collectives {
		c.key[0] = uint64(location)
		to.add(index.Collectives, to.runOf(slice, slice), index.Row{Key: c.key, Sums: [4]uint64{c.count, c.sent.Lo, c.received.Lo}})
		to.bad[index.Collectives] = to.bad[index.Collectives] || c.sent.Hi > 0 || c.received.Hi > 0
	}
	for _, r := range p.samples {
		r.Key[0] = uint64(location)
		to.samples.add(slice, &r)
	}
	p.reset()
}
