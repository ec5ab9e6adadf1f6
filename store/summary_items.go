package store

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// spanItem is a spanning call as summaries need it.
type spanItem struct {
	callNumber
	place                uint32
	start, end           int64
	ordinal, endOrdinal  uint64
	startSlice, endSlice uint64
}

func (i *spanItem) compare(o *spanItem) int {
	return cmp.Or(cmp.Compare(i.place, o.place), cmp.Compare(i.ordinal, o.ordinal))
}

// spanItems are the spanning calls of a node and lane.
type spanItems struct {
	list []spanItem  // by place and ordinal
	ends [][2]uint64 // of each, the slices of its ends: what is looked at of all
}

// spanItems returns the spanning calls of a node and lane.
func (r *Reader) spanItems(n index.Node, lane uint32) (*spanItems, error) {
	refs, err := r.nodeRefs(format.BlockCalls, n, lane)
	if err != nil || len(refs) == 0 {
		return &spanItems{}, err
	}
	ref := refs[0]
	return cached(r.cache, cacheKey{what: cachedSpans, offset: ref.Offset}, func() (*spanItems, int64, error) {
		calls, err := r.appendCalls(nil, n, lane, 0, math.MaxUint64)
		if err != nil {
			return nil, 0, err
		}
		items, err := r.itemsOf(calls, lane)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		s := &spanItems{list: items, ends: make([][2]uint64, len(items))}
		for i := range items {
			s.ends[i] = [2]uint64{items[i].startSlice, items[i].endSlice}
		}
		return s, int64(88 * len(items)), nil
	})
}

// itemsOf returns calls of a lane as summaries need them, by place and ordinal.
func (r *Reader) itemsOf(calls []index.Call, lane uint32) ([]spanItem, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	places := r.places()
	items := make([]spanItem, len(calls))
	for i := range calls {
		c := &calls[i]
		if r.info.Locations[c.Location].Lane != lane {
			return nil, format.Corruptf("calls block", -1, "location %d is not of lane %d", c.Location, lane)
		}
		items[i] = spanItem{
			r.numbers.call(d, callKey{c.Key, c.Context}), places[c.Location], c.Start, c.End, c.Ordinal, c.EndOrdinal, c.StartSlice, c.EndSlice,
		}
	}
	slices.SortFunc(items, func(a, b spanItem) int { return a.compare(&b) })
	return items, nil
}

// items returns the spanning calls of nodes that go on in the path and are in no vector, ordered by place and ordinal.
func (q *summaryQuery) items(lane uint32, nodes []coveredNode) (found []*spanItem, err error) {
	for i := range nodes {
		n := &nodes[i]
		if found, err = q.addItems(found, n.node, lane, func(first, last uint64) bool {
			return first < q.path.end && last >= q.path.first && !n.has(first, last)
		}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// itemsOfSlice returns the spanning calls of a lane that begin, go on or end in a slice, ordered by place and ordinal.
func (r *Reader) itemsOfSlice(slice uint64, lane uint32) (found []*spanItem, err error) {
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		if found, err = r.addItems(found, r.node(level, slice), lane, func(first, last uint64) bool {
			return first <= slice && last >= slice
		}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// addItems adds to an ordered list the spanning calls of a node and lane whose ends lie in wanted slices.
func (r *Reader) addItems(found []*spanItem, n index.Node, lane uint32, want func(first, last uint64) bool) ([]*spanItem, error) {
	all, err := r.spanItems(n, lane)
	if err != nil {
		return nil, err
	}
	var some []*spanItem
	for i, e := range all.ends {
		if want(e[0], e[1]) {
			some = append(some, &all.list[i])
		}
	}
	return mergeItems(found, some), nil
}

// mergeItems merges two ordered lists.
func mergeItems(a, b []*spanItem) []*spanItem {
	if len(a) == 0 {
		return b
	} else if len(b) == 0 {
		return a
	}
	all := make([]*spanItem, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].compare(b[0]) < 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// itemsAt returns the items of a place, and removes them and those before from a list in the order of places.
func itemsAt(items *[]*spanItem, place uint32) []*spanItem {
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
	place uint32
	items []*spanItem
	run   *stepRun
}

// noRun is a location without steps.
var noRun = &stepRun{}

// eachPlace yields the locations with items or steps, in the order of their places.
func eachPlace(items []*spanItem, runs []stepRun) iter.Seq[placeCalls] {
	return func(yield func(placeCalls) bool) {
		for len(items)+len(runs) > 0 {
			c := placeCalls{place: math.MaxUint32, run: noRun}
			if len(items) > 0 {
				c.place = items[0].place
			}
			if len(runs) > 0 && runs[0].place <= c.place {
				c.place, c.run, runs = runs[0].place, &runs[0], runs[1:]
			}
			if c.items = itemsAt(&items, c.place); !yield(c) {
				return
			}
		}
	}
}
