package read

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
)

// SummaryTable is a table of one part.
type SummaryTable struct {
	Step    uint64
	Vectors int
	Sums    *tables.Table
	Metrics *tables.MetricTable
	Lines   []TableLine // none if there is nothing in the node
}

// TableLine says by numbers what a line is about: of calls, the place of the location in the lane and the region; of messages
// the pair, of others the key.
type TableLine struct{ Place, Number uint32 }

// Table returns the table of a node and lane, nil if there is none.
func (r *File) Table(n index.Node, lane uint32, part tables.Part) (*SummaryTable, error) {
	ref, ok, err := r.NodeRef(format.BlockSummary, n, lane)
	if err != nil || !ok {
		return nil, err
	}
	s, err := r.sections(ref, n, lane)
	if err != nil || len(s.Sections[part]) == 0 {
		return nil, err
	}
	return cache.Get(r.cache, cache.Key{What: cache.Table, Offset: ref.Offset, Lane: uint32(part)}, func() (*SummaryTable, int64, error) {
		t, bytes, err := r.ReadTable(s, part)
		return t, bytes, format.At(err, r.name, int64(ref.Offset))
	})
}

// sections returns a block of summaries.
func (r *File) sections(ref format.Ref, n index.Node, lane uint32) (*tables.Summary, error) {
	s, err := cache.Get(r.cache, cache.Key{What: cache.Summary, Offset: ref.Offset}, func() (*tables.Summary, int64, error) {
		b, err := r.Block(format.BlockSummary, ref)
		if err != nil {
			return nil, 0, err
		}
		s, err := tables.ReadSummary(b)
		return s, int64(len(b)) + 200, format.At(err, r.name, int64(ref.Offset))
	})
	if err == nil {
		err = format.At(Belongs(format.BlockSummary, s.Node, s.Lane, n, lane), r.name, int64(ref.Offset))
	}
	return s, err
}

// Children returns the slices of a node, and the number of its children.
func (r *File) Children(n index.Node) (slices SliceRange, count uint64) {
	width := r.tree.Width(n.Level)
	first := n.Index * width
	slices = SliceRange{first, min(first+width, r.root.Slices)}
	return slices, uint64(r.tree.Child(n.Level, n.Index, slices.End-1)) + 1
}

func (r *File) ReadTable(s *tables.Summary, part tables.Part) (t *SummaryTable, bytes int64, err error) {
	_, count := r.Children(s.Node)
	t = &SummaryTable{}
	if part == tables.Metrics {
		if t.Metrics, err = tables.ReadMetricTable(s.Sections[part], count); err != nil {
			return nil, 0, err
		}
		t.Step, t.Vectors = t.Metrics.Step, t.Metrics.Vectors
		t.Lines, err = r.TableLines(t.Metrics.Keys, part, s.Lane)
		return t, t.Metrics.Bytes(), err
	}
	if t.Sums, err = tables.ReadTable(part, s.Sections[part], count); err != nil {
		return nil, 0, err
	}
	t.Step, t.Vectors = t.Sums.Step, t.Sums.Vectors
	t.Lines, err = r.TableLines(t.Sums.Keys, part, s.Lane)
	return t, t.Sums.Bytes(), err
}

// checkKeys checks that the locations of keys are those of the lane; of messages, that one is.
func (r *File) checkKeys(keys []tables.Key, part tables.Part, lane uint32) error {
	for _, k := range keys {
		known, own := k[0] < r.info.Locations, r.InLane(k[0], lane)
		if part == tables.Messages {
			known, own = known && k[1] < r.info.Locations, own || r.InLane(k[1], lane)
		}
		if !known || !own {
			return format.Corruptf("summary block", -1, "location %d is not of lane %d", k[0], lane)
		}
	}
	return nil
}

// TableLines finds the numbers of the lines of a table.
func (r *File) TableLines(keys []tables.Key, part tables.Part, lane uint32) ([]TableLine, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	if int64(lane) >= int64(r.LaneCount()) {
		return nil, format.Corruptf("summary block", -1, "lane %d of %d", lane, r.LaneCount())
	}
	its, err := r.Lane(lane)
	if err == nil {
		err = r.checkKeys(keys, part, lane)
	}
	if err != nil {
		return nil, err
	}
	lines := make([]TableLine, len(keys))
	for i, k := range keys {
		switch part {
		case tables.Calls:
			place, _ := its.Place(uint32(k[0]))
			lines[i] = TableLine{place, r.Numbers.region(k[1])}
		case tables.Messages:
			lines[i].Number = its.Pairs.Of(Pair{uint32(k[0]), uint32(k[1])})
		case tables.Collectives:
			lines[i].Number = its.Collectives.Of(k)
		case tables.Metrics:
			lines[i].Number = its.Counters.Of(k)
		}
	}
	return lines, nil
}
