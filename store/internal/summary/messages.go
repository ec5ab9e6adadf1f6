package summary

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// pairSum is what messages between two locations add up to.
type pairSum struct {
	count uint64
	bytes trace.Sum
}

// pairCell is one with the number of its pair.
type pairCell struct {
	pair uint32
	pairSum
}

// pairSums are the sums of a lane by number.
type pairSums []pairSum

func (s *pairSums) add(n uint32, o pairSum) {
	for uint32(len(*s)) <= n {
		*s = append(*s, pairSum{})
	}
	sum := &(*s)[n]
	sum.count += o.count
	sum.bytes = sum.bytes.Plus(o.bytes)
}

// messages adds up the messages with an end in a lane.
func (q *SummaryQuery) messages(lane uint32) (found lines[trace.MessageTotals], err error) {
	cover, err := q.cover(lane, tables.Messages)
	if err != nil {
		return found, err
	}
	sums, err := q.addMessages(lane, cover)
	return q.messageTotals(sums, lane), err
}

func (q *SummaryQuery) addMessages(lane uint32, cover *Cover) (sums pairSums, err error) {
	for _, r := range cover.runs {
		for i, l := range r.table.Lines {
			if count := r.table.Sums.Sum(i, tables.SumCount, r.first, r.last); count > 0 {
				sums.add(l.Number, pairSum{count, trace.Sum{Lo: r.table.Sums.Sum(i, tables.SumBytes, r.first, r.last)}})
			}
		}
	}
	for i := range cover.Nodes {
		if err := q.addSpanning(&sums, lane, &cover.Nodes[i]); err != nil {
			return nil, err
		}
	}
	for _, slice := range cover.slices {
		cells, err := q.messageCells(slice, lane)
		if err != nil {
			return nil, err
		}
		for i := range cells {
			sums.add(cells[i].pair, cells[i].pairSum)
		}
	}
	return sums, nil
}

// addSpanning adds the spanning messages of a node.
func (q *SummaryQuery) addSpanning(sums *pairSums, lane uint32, n *CoveredNode) error {
	all, err := q.AppendMessages(nil, n.Node, []uint32{lane}, q.path.First, max(q.path.End, 1)-1)
	if err != nil {
		return err
	}
	its, err := q.Lane(lane)
	if err != nil {
		return err
	}
	pairs := &its.Pairs
	for i := range all {
		m := &all[i]
		first, last := min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice)
		if n.Has(first, last) || !q.hasMessage(m) || !q.inLane(m, lane) {
			continue
		}
		sums.add(pairs.Of(read.Pair{Send: m.Send.Location, Receive: m.Receive.Location}), pairSum{1, trace.Sum{Lo: m.Send.Length}})
	}
	return nil
}

// hasMessage reports whether the window has a message.
func (q *SummaryQuery) hasMessage(m *index.Message) bool {
	t := trace.Message{SendTime: m.Send.Time, ReceiveTime: m.Receive.Time}
	return t.Overlaps(q.w.From, q.w.To)
}

// inLane reports whether a message has an end in a lane.
func (q *SummaryQuery) inLane(m *index.Message, lane uint32) bool {
	return q.InLane(uint64(m.Send.Location), lane) || q.InLane(uint64(m.Receive.Location), lane)
}

// messageCells adds up the messages of a lane that lie in a slice. What a whole slice comes to is kept.
func (q *SummaryQuery) messageCells(slice uint64, lane uint32) ([]pairCell, error) {
	if !q.within.Contain(slice, slice) {
		cells, err := q.endCells(slice)
		return cells[lane], err
	}
	return cache.Get(q.Cache(), cache.Key{What: cache.CachedMessageCells, Offset: slice, Lane: lane}, func() ([]pairCell, int64, error) {
		cells, err := q.foldMessages(slice, lane)
		return cells, int64(32 * len(cells)), err
	})
}

func (q *SummaryQuery) foldMessages(slice uint64, lane uint32) (cells []pairCell, err error) {
	all, err := query.Paired(q.File, slice, &read.MessageLanes{Lanes: q.AllLanes()})
	if err == query.ErrTooMuch {
		large, err := cache.Get(q.Cache(), cache.Key{What: cache.CachedLargeCells, Offset: slice}, func() (laneCells, int64, error) { return q.foldLarge(slice, nil) })
		return large[lane], err
	}
	if err != nil {
		return nil, err
	}
	f := newMessageFold(q, lane)
	for i := range all {
		if m := &all[i]; q.hasMessage(m) && q.inLane(m, lane) {
			f.add(read.Pair{Send: m.Send.Location, Receive: m.Receive.Location}, m.Send.Length)
		}
	}
	return f.cells, nil
}

// messageFold adds up messages of a lane.
type messageFold struct {
	of    *read.Numbering[read.Pair]
	at    map[uint32]int // by number of a pair, its place
	cells []pairCell
}

func newMessageFold(q *SummaryQuery, lane uint32) *messageFold {
	return &messageFold{of: &q.KnownLane(lane).Pairs, at: map[uint32]int{}}
}

func (f *messageFold) add(p read.Pair, bytes uint64) {
	n := f.of.Of(p)
	place, ok := f.at[n]
	if !ok {
		place = len(f.cells)
		f.at[n] = place
		f.cells = append(f.cells, pairCell{pair: n})
	}
	f.cells[place].count++
	f.cells[place].bytes.Add(bytes)
}

// messageTotals lists what was added up, if it is of the window's locations. Of the lanes of the two ends, that of the sender
// lists a message, unless only the receiver's is looked at.
func (q *SummaryQuery) messageTotals(sums pairSums, lane uint32) (found lines[trace.MessageTotals]) {
	pairs := q.KnownLane(lane).Pairs.All()
	type line struct {
		at     uint64
		number int
	}
	var order []line
	for n := range sums {
		p := pairs[n]
		sender, _ := q.LaneOf(p.Send)
		if sums[n].count > 0 && (q.w.Locations == nil || q.w.Locations[p.Send] || q.w.Locations[p.Receive]) && (sender == lane || !q.lanesAsked[sender]) {
			order = append(order, line{uint64(p.Send)<<32 | uint64(p.Receive), n})
		}
	}
	slices.SortFunc(order, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	for _, l := range order {
		p := pairs[l.number]
		found.add(l.at, trace.MessageTotals{
			SendLocation: q.LocationID(p.Send), ReceiveLocation: q.LocationID(p.Receive),
			Count: sums[l.number].count, Bytes: sums[l.number].bytes,
		})
	}
	return found
}
