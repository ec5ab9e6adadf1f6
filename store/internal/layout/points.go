package layout

import (
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/trace"
)

// Points adds up the collective operations and metric values of one location in one slice. Keys lack the location.
type Points struct {
	Collectives []CollectiveSum
	Samples     []tables.MetricRow
	places      pointPlaces
}

// CollectiveSum is what collective operations of one kind on one communicator add up to.
type CollectiveSum struct {
	Key            tables.Key
	Count          uint64
	Sent, Received trace.Sum
}

// pointPlaces finds the rows of keys.
type pointPlaces struct{ collectives, samples places }

// places numbers keys in the order in which they come. What comes again tends to come in the same order.
type places struct {
	keys  []tables.Key
	place map[tables.Key]int
	last  int
}

// of returns the place of a key, new if it has none yet.
func (p *places) of(k tables.Key) (at int, isNew bool) {
	for _, guess := range [...]int{p.last, p.last + 1} {
		if guess < len(p.keys) && p.keys[guess] == k {
			p.last = guess
			return guess, false
		}
	}
	at, ok := p.place[k]
	if !ok {
		if p.place == nil {
			p.place = map[tables.Key]int{}
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

// IsPoint reports whether events of a kind are added up that are neither of calls nor of messages.
func IsPoint(k trace.Kind) bool {
	return k == trace.KindMpiCollectiveEnd || k == trace.KindNonBlockingCollectiveComplete || k == trace.KindMetric
}

// Point adds such an event.
func (p *Points) Point(k trace.Kind, at int64, words []uint64) {
	switch k {
	case trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete:
		p.collective(words)
	case trace.KindMetric:
		for i := range words[1] {
			p.sample(tables.Key{0, words[0], i, uint64(trace.ValueType(words[2+2*i]))}, at, words[3+2*i])
		}
	}
}

// collective adds the end of an operation.
func (p *Points) collective(words []uint64) {
	k := tables.Key{0, words[0], words[1]}
	at, isNew := p.places.collectives.of(k)
	if isNew {
		p.Collectives = append(p.Collectives, CollectiveSum{Key: k})
	}
	s := &p.Collectives[at]
	s.Count++
	s.Sent.Add(words[3])
	s.Received.Add(words[4])
}

// sample adds a value of a metric.
func (p *Points) sample(k tables.Key, at int64, value uint64) {
	place, isNew := p.places.samples.of(k)
	if isNew {
		p.Samples = append(p.Samples, tables.MetricRow{Key: k})
	}
	s := tables.Sample(at, value)
	p.Samples[place].Join(k.KeyType(), &s)
}

// Reset forgets what was added up.
func (p *Points) Reset() {
	p.Collectives, p.Samples = p.Collectives[:0], p.Samples[:0]
	p.places.collectives.reset()
	p.places.samples.reset()
}
