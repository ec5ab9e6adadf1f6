package check

import (
	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/trace"
)

// data checks what ranks say to have sent and received in an operation. Tracers count bytes in different ways, so that only what is wrong in all of them is found:
//
//   - nobody sends or receives in a barrier;
//   - all but the root of a broadcast receive as much, and the root sends as much as each receives, or as all together do;
//   - in an operation in which the root waits for all, the others receive nothing, or, as some tracers count, what they send.
func (c *collectives) data(s *series, parts []part, root uint64) {
	operation := parts[0].operation
	switch name := trace.EnumCollectiveOp.Format(operation); {
	case name == "BARRIER":
		for i := range parts {
			if p := &parts[i]; p.sent|p.received != 0 {
				c.wrongBytes(BarrierWithData, s, p)
			}
		}
	case root >= s.size: // there is none, or none in this group
	case name == "BCAST":
		c.broadcast(s, parts, root)
	case gather.ShapeOf(operation) == gather.ToRoot:
		c.offRoot(s, parts, root)
	}
}

func (c *collectives) wrongBytes(code Code, s *series, p *part, more ...Value) {
	c.ledger.add(code, code.Severity(), p.at, s.values(p, append([]Value{{"sent", Bytes, p.sent}, {"received", Bytes, p.received}}, more...)...)...)
}

// broadcast compares with what most ranks receive.
func (c *collectives) broadcast(s *series, parts []part, root uint64) {
	votes := map[uint64]int{}
	for i := range parts {
		if parts[i].rank != root {
			votes[parts[i].received]++
		}
	}
	usual := mostCommon(votes)
	for i := range parts {
		p := &parts[i]
		wrong := p.received != usual
		if p.rank == root { // it may not say what it sends
			wrong = usual > 0 && p.sent > 0 && p.sent != usual && p.sent != usual*s.size && p.sent != usual*(s.size-1)
		}
		if wrong {
			c.wrongBytes(BroadcastDiffers, s, p, Value{"expected", Bytes, usual})
		}
	}
}

// offRoot finds ranks other than the root that receive something: anything, unless most of them say to receive as much as they send.
func (c *collectives) offRoot(s *series, parts []part, root uint64) {
	others, alike := 0, 0
	for i := range parts {
		if p := &parts[i]; p.rank != root {
			others++
			if p.received == p.sent {
				alike++
			}
		}
	}
	for i := range parts {
		if p := &parts[i]; p.rank != root && p.received > 0 && (2*alike <= others || p.received != p.sent) {
			c.wrongBytes(BytesOffRoot, s, p)
		}
	}
}
