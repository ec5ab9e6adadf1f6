package read

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/trace"
)

// SpanItem is a spanning call as summaries need it.
type SpanItem struct {
	CallNumber
	place                uint32
	Open                 bool // it is never left
	Start, End           int64
	Ordinal, EndOrdinal  uint64
	StartSlice, EndSlice uint64
}

func (i *SpanItem) compare(o *SpanItem) int {
	return cmp.Or(cmp.Compare(i.place, o.place), cmp.Compare(i.Ordinal, o.Ordinal))
}

// spanItems are the spanning calls of a node and lane.
type spanItems struct {
	node index.Node
	lane uint32
	list []SpanItem  // by place and ordinal
	ends [][2]uint64 // of each, the slices of its ends: what is looked at of all
}

// spanItems returns the spanning calls of a node and lane, and keeps them.
func (r *File) spanItems(n index.Node, lane uint32) (*spanItems, error) {
	refs, err := r.nodeRefs(format.BlockCalls, n, lane)
	if err != nil || len(refs) == 0 {
		return &spanItems{}, err
	}
	s, err := cache.Get(r.cache, cache.Key{What: cache.Spans, Offset: refs[0].Offset}, func() (*spanItems, int64, error) {
		items, err := r.spans(n, lane, 0, math.MaxUint64)
		if err != nil {
			return nil, 0, err
		}
		s := &spanItems{node: n, lane: lane, list: items, ends: make([][2]uint64, len(items))}
		for i := range items {
			s.ends[i] = [2]uint64{items[i].StartSlice, items[i].EndSlice}
		}
		return s, int64(88 * len(items)), nil
	})
	if err == nil {
		err = format.At(Belongs(format.BlockCalls, s.node, s.lane, n, lane), r.name, int64(refs[0].Offset))
	}
	return s, err
}

// spans returns the spanning calls of a node and lane that overlap the slices first to last, by place and ordinal.
func (r *File) spans(n index.Node, lane uint32, first, last uint64) ([]SpanItem, error) {
	refs, err := r.nodeRefs(format.BlockCalls, n, lane)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	calls, err := r.AppendCalls(nil, n, lane, first, last)
	if err != nil {
		return nil, err
	}
	items, err := r.itemsOf(calls, lane)
	slices.SortFunc(items, func(a, b SpanItem) int { return a.compare(&b) })
	return items, format.At(err, r.name, int64(refs[0].Offset))
}

// itemsOf returns calls of a lane as summaries need them.
func (r *File) itemsOf(calls []index.Call, lane uint32) ([]SpanItem, error) {
	d, err := r.View(Contexts)
	if err != nil {
		return nil, err
	}
	its, err := r.Lane(lane)
	if err != nil {
		return nil, err
	}
	items := make([]SpanItem, len(calls))
	for i := range calls {
		c := &calls[i]
		place, ok := its.Place(c.Location)
		if !ok {
			return nil, format.Corruptf("calls block", -1, "location %d is not of lane %d", c.Location, lane)
		}
		items[i] = SpanItem{
			r.Numbers.call(d, callKey{c.Key, c.Context}), place, c.Flags&trace.CallOpen != 0, c.Start, c.End, c.Ordinal, c.EndOrdinal, c.StartSlice, c.EndSlice,
		}
	}
	return items, nil
}

// ItemsOfSlice returns the spanning calls of a lane that begin, go on or end in a slice, ordered by place and ordinal. Of the blocks of nodes it reads the parts that
// have such calls.
func (r *File) ItemsOfSlice(slice uint64, lane uint32) (found []*SpanItem, err error) {
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		items, err := r.spans(r.Node(level, slice), lane, slice, slice)
		if err != nil {
			return nil, err
		}
		some := make([]*SpanItem, len(items))
		for i := range items {
			some[i] = &items[i]
		}
		found = mergeItems(found, some)
	}
	return found, nil
}

// OpenItems returns the spanning calls of a lane that go on when a slice begins, ordered by place and ordinal. Of the blocks of nodes it decodes the parts that
// may have such calls.
func (r *File) OpenItems(slice uint64, lane uint32) (found []*SpanItem, err error) {
	var calls []index.Call
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		n := r.Node(level, slice)
		if all, _ := r.Children(n); all.First == slice {
			continue // none of its calls begins before
		}
		calls, err = r.callsOf(calls, n, lane, func(b *CallBlock, calls []index.Call) ([]index.Call, error) { return b.AppendCrossing(calls, slice) })
		if err != nil {
			return nil, err
		}
	}
	items, err := r.itemsOf(calls, lane)
	if err != nil {
		return nil, r.InSlice(err, slice, lane)
	}
	found = make([]*SpanItem, len(items))
	for i := range items {
		found[i] = &items[i]
	}
	slices.SortFunc(found, func(a, b *SpanItem) int { return a.compare(b) })
	return found, nil
}

// AddItems adds to an ordered list the spanning calls of a node and lane whose ends lie in wanted slices.
func (r *File) AddItems(found []*SpanItem, n index.Node, lane uint32, want func(first, last uint64) bool) ([]*SpanItem, error) {
	all, err := r.spanItems(n, lane)
	if err != nil {
		return nil, err
	}
	var some []*SpanItem
	for i, e := range all.ends {
		if want(e[0], e[1]) {
			some = append(some, &all.list[i])
		}
	}
	return mergeItems(found, some), nil
}

// mergeItems merges two ordered lists.
func mergeItems(a, b []*SpanItem) []*SpanItem {
	if len(a) == 0 {
		return b
	} else if len(b) == 0 {
		return a
	}
	all := make([]*SpanItem, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].compare(b[0]) < 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// ItemsAt returns the items of a place, and removes them and those before from a list in the order of places.
func ItemsAt(items *[]*SpanItem, place uint32) []*SpanItem {
	all := *items
	first := 0
	for first < len(all) && all[first].place < place {
		first++
	}
	end := first
	for end < len(all) && all[end].place == place {
		end++
	}
	*items = all[end:]
	return all[first:end]
}

// placeCalls are the spanning calls of a location of a lane, and its enters and leaves in a slice: noRun if there are none.
type placeCalls struct {
	Place uint32
	Items []*SpanItem
	Run   *StepRun
}

// noRun is a location without steps.
var noRun = &StepRun{}

// EachPlace yields the locations with items or steps, in the order of their places.
func EachPlace(items []*SpanItem, runs []StepRun) iter.Seq[placeCalls] {
	return func(yield func(placeCalls) bool) {
		for len(items)+len(runs) > 0 {
			c := placeCalls{Place: math.MaxUint32, Run: noRun}
			if len(items) > 0 {
				c.Place = items[0].place
			}
			if len(runs) > 0 && runs[0].place <= c.Place {
				c.Place, c.Run, runs = runs[0].place, &runs[0], runs[1:]
			}
			if c.Items = ItemsAt(&items, c.Place); !yield(c) {
				return
			}
		}
	}
}
