package check

import (
	"slices"

	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/trace"
)

// roots checks that all ranks name the same root, and returns it: what most name counts.
func (c *collectives) roots(s *series, parts []part) (root uint64) {
	root = parts[0].root
	if same := !slices.ContainsFunc(parts, func(p part) bool { return p.root != root }); !same {
		votes := map[uint64]int{}
		for i := range parts {
			votes[parts[i].root]++
		}
		root = mostCommon(votes)
		for i := range parts {
			if p := &parts[i]; p.root != root {
				c.ledger.add(OtherRoot, OtherRoot.Severity(), p.at, s.values(p, Value{"root", Rank, p.root}, Value{"expected", Rank, root})...)
			}
		}
	}
	first := &parts[0]
	switch needs := gather.Rooted(first.operation); {
	case root == trace.Undefined && needs:
		c.ledger.add(NoRoot, NoRoot.Severity(), first.at, s.values(first)...)
	case root != trace.Undefined && !needs && gather.ShapeOf(first.operation) != 0:
		c.ledger.add(RootWithoutNeed, RootWithoutNeed.Severity(), first.at, s.values(first, Value{"root", Rank, root})...)
	case root != trace.Undefined && needs && root >= s.size && root < anyRoot:
		c.ledger.add(RootIsNoRank, RootIsNoRank.Severity(), first.at, s.values(first, Value{"root", Rank, root})...)
	}
	return root
}

// mostCommon returns what has most votes, the least of equal ones; 0 without votes.
func mostCommon(votes map[uint64]int) (common uint64) {
	most := 0
	for value, n := range votes {
		if n > most || n == most && value < common {
			common, most = value, n
		}
	}
	return common
}

// anyRoot is the least of the numbers with which OTF2 says that the root is a rank, or all, of the other group of an inter-communicator.
const anyRoot = 1<<32 - 8

// order checks that no rank leaves before one enters that it has to wait for.
func (c *collectives) order(s *series, parts []part) {
	switch gather.ShapeOf(parts[0].operation) {
	case gather.AllWait:
		last := latestBegin(parts)
		for i := range parts {
			c.inOrder(s, &parts[i], last)
		}
	case gather.FromRoot:
		if i := slices.IndexFunc(parts, func(p part) bool { return p.rank == p.root }); i >= 0 {
			for j := range parts {
				c.inOrder(s, &parts[j], &parts[i])
			}
		}
	case gather.ToRoot:
		if i := slices.IndexFunc(parts, func(p part) bool { return p.rank == p.root }); i >= 0 {
			c.inOrder(s, &parts[i], latestBegin(parts))
		}
	case gather.AllInOrder:
		var last *part
		for i := range parts {
			if p := &parts[i]; p.begun && (last == nil || p.begin.Time > last.begin.Time) {
				last = p
			}
			c.inOrder(s, &parts[i], last)
		}
	}
}

// latestBegin returns the part that begins last, nil if no begin is known.
func latestBegin(parts []part) (last *part) {
	for i := range parts {
		if p := &parts[i]; p.begun && (last == nil || p.begin.Time > last.begin.Time) {
			last = p
		}
	}
	return last
}

// inOrder checks that a part does not end before another one begins.
func (c *collectives) inOrder(s *series, p, waitsFor *part) {
	if waitsFor == nil || !waitsFor.begun {
		return
	}
	if early := waitsFor.begin.Time - p.at.Time; early > 0 {
		c.ledger.add(LeftBeforeAll, LeftBeforeAll.Severity(), p.at, s.values(p, Value{"waits_for", Rank, waitsFor.rank}, Value{"early", Duration, uint64(early)})...)
	}
}
