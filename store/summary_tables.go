package store

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// summaryTable is a table of one part.
type summaryTable struct {
	step    uint64
	vectors int
	sums    *index.Table
	metrics *index.MetricTable
	lines   []tableLine // none if there is nothing in the node
}

// tableLine says by numbers what a line is about: of calls, the place of the location in the lane and the region; of messages
// the pair, of others the key.
type tableLine struct{ place, number uint32 }

// table returns the table of a node and lane, nil if there is none.
func (r *Reader) table(n index.Node, lane uint32, part index.Part) (*summaryTable, error) {
	ref, ok, err := r.nodeRef(format.BlockSummary, n, lane)
	if err != nil || !ok {
		return nil, err
	}
	s, err := r.sections(ref, n, lane)
	if err != nil || len(s.Sections[part]) == 0 {
		return nil, err
	}
	return cached(r.cache, cacheKey{what: cachedTable, offset: ref.Offset, lane: uint32(part)}, func() (*summaryTable, int64, error) {
		t, bytes, err := r.readTable(s, part)
		return t, bytes, format.At(err, r.name, int64(ref.Offset))
	})
}

// sections returns a block of summaries.
func (r *Reader) sections(ref format.Ref, n index.Node, lane uint32) (*index.Summary, error) {
	s, err := cached(r.cache, cacheKey{what: cachedSummary, offset: ref.Offset}, func() (*index.Summary, int64, error) {
		b, err := r.block(format.BlockSummary, ref)
		if err != nil {
			return nil, 0, err
		}
		s, err := index.ReadSummary(b)
		return s, int64(len(b)) + 200, format.At(err, r.name, int64(ref.Offset))
	})
	if err == nil {
		err = format.At(belongs(format.BlockSummary, s.Node, s.Lane, n, lane), r.name, int64(ref.Offset))
	}
	return s, err
}

// children returns the slices of a node, and the number of its children.
func (r *Reader) children(n index.Node) (slices sliceRange, count uint64) {
	width := r.tree.Width(n.Level)
	first := n.Index * width
	slices = sliceRange{first, min(first+width, r.root.Slices)}
	return slices, uint64(r.tree.Child(n.Level, n.Index, slices.end-1)) + 1
}

func (r *Reader) readTable(s *index.Summary, part index.Part) (t *summaryTable, bytes int64, err error) {
	_, count := r.children(s.Node)
	t = &summaryTable{}
	if part == index.Metrics {
		if t.metrics, err = index.ReadMetricTable(s.Sections[part], count); err != nil {
			return nil, 0, err
		}
		t.step, t.vectors = t.metrics.Step, t.metrics.Vectors
		t.lines, err = r.tableLines(t.metrics.Keys, part, s.Lane)
		return t, t.metrics.Bytes(), err
	}
	if t.sums, err = index.ReadTable(part, s.Sections[part], count); err != nil {
		return nil, 0, err
	}
	t.step, t.vectors = t.sums.Step, t.sums.Vectors
	t.lines, err = r.tableLines(t.sums.Keys, part, s.Lane)
	return t, t.sums.Bytes(), err
}

// checkKeys checks that the locations of keys are those of the lane; of messages, that one is.
func (r *Reader) checkKeys(keys []index.Key, part index.Part, lane uint32) error {
	if len(keys) > 0 && int(lane) >= len(r.lanes) {
		return format.Corruptf("summary block", -1, "lane %d of %d", lane, len(r.lanes))
	}
	in := func(l uint64) (known, own bool) {
		known = l < uint64(len(r.info.Locations))
		return known, known && r.info.Locations[l].Lane == lane
	}
	for _, k := range keys {
		known, own := in(k[0])
		if part == index.Messages {
			otherKnown, other := in(k[1])
			known, own = known && otherKnown, own || other
		}
		if !known || !own {
			return format.Corruptf("summary block", -1, "location %d is not of lane %d", k[0], lane)
		}
	}
	return nil
}

// tableLines finds the numbers of the lines of a table.
func (r *Reader) tableLines(keys []index.Key, part index.Part, lane uint32) ([]tableLine, error) {
	if err := r.checkKeys(keys, part, lane); err != nil {
		return nil, err
	}
	lines := make([]tableLine, len(keys))
	places := r.places()
	for i, k := range keys {
		switch part {
		case index.Calls:
			lines[i] = tableLine{places[k[0]], r.numbers.region(k[1])}
		case index.Messages:
			lines[i].number = r.laneNumbers[lane].pairs.of(pair{uint32(k[0]), uint32(k[1])})
		case index.Collectives:
			lines[i].number = r.laneNumbers[lane].collectives.of(k)
		case index.Metrics:
			lines[i].number = r.laneNumbers[lane].counters.of(k)
		}
	}
	return lines, nil
}
