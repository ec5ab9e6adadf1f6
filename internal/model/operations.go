package model

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// rankPart is what a rank does in a collective operation.
type rankPart struct {
	in                              seriesName
	place, ended                    int // among all events: by which parts are in order, and of the end
	id                              EventID
	operation, root, sent, received uint64
	begin, end                      int64
	beginID                         EventID
	begun                           bool
}

// jointOperation is an operation as ranks take part in it. Ranks are numbers of queues.
type jointOperation struct {
	typical               rankPart
	parts, others, extras []rankPart
	ranks                 []int // of the parts
	missing               []lacking
}

// lacking is a rank that has no part in an operation, and its next part.
type lacking struct {
	rank int
	next *rankPart
}

// seriesName tells operations apart that are counted by themselves.
type seriesName struct {
	comm   uint64
	blocks bool
}

// rankOf is a rank of a communicator.
type rankOf struct {
	in   seriesName
	rank uint64
}

// stranger is a process without a rank in the communicator.
type stranger struct {
	in      seriesName
	process process
}

// parts returns the parts of all locations in collective operations. Those that block are in the order of their ends, those that do not in the order in
// which they were begun: one whose begin is not known counts as begun when it ends.
func (t *Trace) parts() (list []rankPart) {
	begins, requests := map[uint64]int{}, map[requestID]int{}
	all := t.Events()
	for i, e := range all {
		p := rankPart{id: e.ID(), end: e.Time, place: i, ended: i}
		begin := -1
		switch e.Kind {
		case trace.KindMpiCollectiveBegin:
			begins[e.Location] = i + 1
			continue
		case trace.KindNonBlockingCollectiveRequest:
			requests[requestID{e.Location, e.Words[0]}] = i + 1
			continue
		case trace.KindMpiCollectiveEnd:
			begin, p.in.blocks = begins[e.Location]-1, true
			delete(begins, e.Location)
		case trace.KindNonBlockingCollectiveComplete:
			r := requestID{e.Location, e.Words[5]}
			if begin = requests[r] - 1; begin >= 0 {
				p.place = begin
			}
			delete(requests, r)
		default:
			continue
		}
		if begin >= 0 {
			p.begin, p.beginID, p.begun = all[begin].Time, all[begin].ID(), true
		}
		p.operation, p.in.comm, p.root, p.sent, p.received = e.Words[0], e.Words[1], e.Words[2], e.Words[3], e.Words[4]
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b rankPart) int { return a.place - b.place })
	return list
}

// OperationNumbers returns the numbers of collective operations, of those that block and of those that do not, by the ends of parts. The n-th part of a rank
// belongs to operation n; if ranks of the trace differ in what they do, one that lacks a part is ahead of its count from there on, and parts that only one
// rank has count for all. Parts of processes without a rank count in the order in which they end.
func (t *Trace) OperationNumbers() map[EventID]uint64 {
	lists, nobody := t.rankParts()
	numbers := map[EventID]uint64{}
	for _, parts := range nobody {
		slices.SortFunc(parts, func(a, b rankPart) int { return a.ended - b.ended })
		for n, p := range parts {
			numbers[p.id] = uint64(n)
		}
	}
	comms := map[seriesName][]uint64{}
	for r := range lists {
		comms[r.in] = append(comms[r.in], r.rank)
	}
	for in, ranks := range comms {
		slices.Sort(ranks)
		var queues [][]rankPart
		for _, rank := range ranks {
			queues = append(queues, lists[rankOf{in, rank}])
		}
		if !in.blocks || t.UnlikeRanks() > 0 {
			alignParts(queues, in.blocks, numbers)
			continue
		}
		for _, parts := range queues {
			for n, p := range parts {
				numbers[p.id] = uint64(n)
			}
		}
	}
	return numbers
}

// rankParts returns the parts of each rank that takes part in any operation of a communicator, in order, and those of processes without a rank.
func (t *Trace) rankParts() (lists map[rankOf][]rankPart, nobody map[stranger][]rankPart) {
	lists, nobody = map[rankOf][]rankPart{}, map[stranger][]rankPart{}
	for _, p := range t.parts() {
		rank, _, ok := t.Definitions.OwnRank(p.in.comm, p.id.Location)
		if !ok {
			at := stranger{p.in, t.process(p.id.Location)}
			nobody[at] = append(nobody[at], p)
			continue
		}
		for _, blocks := range []bool{false, true} {
			r := rankOf{seriesName{p.in.comm, blocks}, rank}
			lists[r] = append(lists[r], nil...)
			if blocks == p.in.blocks {
				lists[r] = append(lists[r], p)
			}
		}
	}
	return lists, nobody
}

// together reports whether two parts may be of one operation: in some, nobody leaves before all have entered.
func together(a, b rankPart) bool {
	if a.operation != b.operation {
		return false
	}
	switch trace.EnumCollectiveOp.Format(a.operation) {
	case "BARRIER", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK":
		return !a.begun || !b.begun || a.begin <= b.end && b.begin <= a.end
	}
	return true
}

// alike returns how many of the next five parts of two ranks may go together, and of how many.
func alike(a, b []rankPart) (n, of int) {
	for of < min(len(a), len(b), 5) {
		if together(a[of], b[of]) {
			n++
		}
		of++
	}
	return n, of
}

// alignParts numbers the parts of ranks.
func alignParts(queues [][]rankPart, block bool, numbers map[EventID]uint64) {
	next := uint64(0)
	for _, o := range align(slices.Clone(queues), block) {
		for _, p := range o.extras {
			numbers[p.id] = next
			next++
		}
		for _, p := range slices.Concat(o.parts, o.others) {
			numbers[p.id] = next
		}
		next++
	}
}

// align makes operations of the parts of ranks, which it takes out of the queues. Where ranks do not block, times do not tell whether first parts
// belong together.
func align(queues [][]rankPart, block bool) (all []jointOperation) {
	for {
		left, allFit := 0, true
		for _, q := range queues {
			if len(q) > 0 {
				left++
			}
		}
		if left == 0 {
			return all
		}
		var most []rankPart
		if left == len(queues) {
			for _, a := range queues {
				for _, b := range queues {
					allFit = allFit && a[0].operation == b[0].operation && (!block || together(a[0], b[0]) || !allBegun(queues))
				}
			}
			most = queues[0]
		}
		if left < len(queues) || !allFit {
			most = usual(queues)
			allFit = false
		}
		most = most[:min(len(most), 6)]
		all = append(all, takeParts(queues, most, allFit))
	}
}

// takeParts takes the parts of an operation out of the queues.
func takeParts(queues [][]rankPart, most []rankPart, allFit bool) (o jointOperation) {
	o.typical = most[0]
	for i := range queues {
		q := &queues[i]
		what := "takes part"
		if !allFit {
			what = standing((*q)[:min(len(*q), 6)], most)
		}
		if what == "in addition" {
			o.extras = append(o.extras, (*q)[0])
			if *q = (*q)[1:]; len(*q) == 0 {
				what = "lacks"
			}
		}
		switch what {
		case "lacks":
			o.missing = append(o.missing, lacking{rank: i})
			continue
		case "instead":
			o.others = append(o.others, (*q)[0])
		default:
			o.parts, o.ranks = append(o.parts, (*q)[0]), append(o.ranks, i)
		}
		*q = (*q)[1:]
	}
	for i := range o.missing {
		if q := queues[o.missing[i].rank]; len(q) > 0 {
			o.missing[i].next = &q[0]
		}
	}
	return o
}

func allBegun(queues [][]rankPart) bool {
	return !slices.ContainsFunc(queues, func(q []rankPart) bool { return !q[0].begun })
}

// usual returns the parts of the rank that begins in the middle of those that do next what most do.
func usual(queues [][]rankPart) []rankPart {
	votes := map[uint64]int{}
	for _, q := range queues {
		if len(q) > 0 {
			votes[q[0].operation]++
		}
	}
	best, most := uint64(0), 0
	for op := range uint64(1000) {
		if votes[op] > most {
			best, most = op, votes[op]
		}
	}
	var of [][]rankPart
	for _, q := range queues {
		if len(q) > 0 && q[0].operation == best {
			of = append(of, q)
		}
	}
	slices.SortStableFunc(of, func(a, b []rankPart) int { return int(a[0].begin - b[0].begin) })
	return of[len(of)/2]
}

// standing says what a rank's next part is to that of most.
func standing(own, most []rankPart) string {
	if len(own) == 0 {
		return "lacks"
	}
	if together(own[0], most[0]) {
		return "takes part"
	}
	now, _ := alike(own, most)
	later, laterOf := alike(own, most[1:])
	earlier, earlierOf := alike(own[1:], most)
	instead, _ := alike(own[1:], most[1:])
	if own[0].operation == most[0].operation {
		if now == 0 && laterOf > 1 && later == laterOf {
			return "lacks"
		}
		if now == 0 && earlierOf > 1 && earlier == earlierOf {
			return "in addition"
		}
		return "takes part"
	}
	if later > 0 && later >= earlier && later >= instead {
		return "lacks"
	}
	if earlier > instead {
		return "in addition"
	}
	return "instead"
}
