package store

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// pair is a sending and a receiving location, by index.
type pair struct{ send, receive uint32 }

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
func (q *summaryQuery) messages(lane uint32) (found lines[trace.MessageTotals], err error) {
	cover, err := q.cover(lane, index.Messages)
	if err != nil {
		return found, err
	}
	sums, err := q.addMessages(lane, cover)
	return q.messageTotals(sums, lane), err
}

func (q *summaryQuery) addMessages(lane uint32, cover *cover) (sums pairSums, err error) {
	for _, r := range cover.runs {
		for i, l := range r.table.lines {
			if count := r.table.sums.Sum(i, index.SumCount, r.first, r.last); count > 0 {
				sums.add(l.number, pairSum{count, trace.Sum{Lo: r.table.sums.Sum(i, index.SumBytes, r.first, r.last)}})
			}
		}
	}
	for i := range cover.nodes {
		if err := q.addSpanning(&sums, lane, &cover.nodes[i]); err != nil {
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
func (q *summaryQuery) addSpanning(sums *pairSums, lane uint32, n *coveredNode) error {
	all, err := q.appendMessages(nil, n.node, []uint32{lane}, 0, math.MaxUint64)
	if err != nil {
		return err
	}
	for i := range all {
		m := &all[i]
		first, last := min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice)
		if n.has(first, last) || !q.hasMessage(m) || !q.inLane(m, lane) {
			continue
		}
		sums.add(q.laneNumbers[lane].pairs.of(pair{m.Send.Location, m.Receive.Location}), pairSum{1, trace.Sum{Lo: m.Send.Length}})
	}
	return nil
}

// hasMessage reports whether the window has a message.
func (q *summaryQuery) hasMessage(m *index.Message) bool {
	t := trace.Message{SendTime: m.Send.Time, ReceiveTime: m.Receive.Time}
	return t.Overlaps(q.w.from, q.w.to)
}

// inLane reports whether a message has an end in a lane.
func (q *summaryQuery) inLane(m *index.Message, lane uint32) bool {
	return q.info.Locations[m.Send.Location].Lane == lane || q.info.Locations[m.Receive.Location].Lane == lane
}

// messageCells adds up the messages of a lane that lie in a slice. What a whole slice comes to is kept.
func (q *summaryQuery) messageCells(slice uint64, lane uint32) ([]pairCell, error) {
	if slice < q.within.first || slice >= q.within.end {
		return q.foldMessages(slice, lane)
	}
	return cached(q.cache, cacheKey{what: cachedMessageCells, offset: slice, lane: lane}, func() ([]pairCell, int64, error) {
		cells, err := q.foldMessages(slice, lane)
		return cells, int64(32 * len(cells)), err
	})
}

func (q *summaryQuery) foldMessages(slice uint64, lane uint32) (cells []pairCell, err error) {
	all, err := q.paired(slice, &talkers{lanes: q.All().lanes()})
	if err == errTooMuch {
		large, err := q.largeCells(slice)
		return large[lane], err
	}
	if err != nil {
		return nil, err
	}
	f := messageFold{of: &q.laneNumbers[lane].pairs, at: map[uint32]int{}}
	for i := range all {
		if m := &all[i]; q.hasMessage(m) && q.inLane(m, lane) {
			f.add(pair{m.Send.Location, m.Receive.Location}, m.Send.Length)
		}
	}
	return f.cells, nil
}

// messageFold adds up messages of a lane.
type messageFold struct {
	of    *numbering[pair]
	at    map[uint32]int // by number of a pair, its place
	cells []pairCell
}

func (f *messageFold) add(p pair, bytes uint64) {
	n := f.of.of(p)
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
func (q *summaryQuery) messageTotals(sums pairSums, lane uint32) (found lines[trace.MessageTotals]) {
	pairs := q.laneNumbers[lane].pairs.all()
	type line struct {
		at     uint64
		number int
	}
	var order []line
	for n := range sums {
		p := pairs[n]
		sender := q.info.Locations[p.send].Lane
		if sums[n].count > 0 && (q.w.locations == nil || q.w.locations[p.send] || q.w.locations[p.receive]) && (sender == lane || !q.lanesAsked[sender]) {
			order = append(order, line{uint64(p.send)<<32 | uint64(p.receive), n})
		}
	}
	slices.SortFunc(order, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	for _, l := range order {
		p := pairs[l.number]
		found.add(l.at, trace.MessageTotals{
			SendLocation: q.info.Locations[p.send].ID, ReceiveLocation: q.info.Locations[p.receive].ID,
			Count: sums[l.number].count, Bytes: sums[l.number].bytes,
		})
	}
	return found
}
