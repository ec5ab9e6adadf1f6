package verify

import (
	"slices"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// pairSums are pairs of events that reach over slices, as they follow from the events, and as the file lists them.
type pairSums struct {
	roles    *pairing.Roles
	events   []pairing.RoleEvent // of the slice at hand
	open     pairing.OpenPairs
	followed digest
	told     digest
	place    int64 // of the first block of pairs, -1 if there is none
}

// prepare makes the sums ready for a file with some locations.
func (p *pairSums) prepare(v *deepVerifier) {
	p.roles, p.place = pairing.NewRoles(v.r.Meta().Table(), 0), -1
	p.open.Process = func(l uint32) pairing.ProcessID { return pairing.ProcessOf(v.definitions, v.locations[l].ID) }
}

// collect takes the events of a run that open or close pairs.
func (p *pairSums) collect(run *slice.Run, b *trace.Batch, number uint64) {
	for i, k := range b.Kinds {
		roles := p.roles.Of(k)
		for j := range roles {
			e := index.End{Location: run.Location, Ordinal: run.First + uint64(i), Slice: number, Time: b.Times[i]}
			p.events = append(p.events, pairing.NewRoleEvent(&roles[j], k, b.Fields(i), e))
		}
	}
}

// follow pairs the events of a slice.
func (p *pairSums) follow() {
	slices.SortFunc(p.events, func(a, b pairing.RoleEvent) int { return a.Compare(&b) })
	for i := range p.events {
		e := &p.events[i]
		if open, ok := p.open.Add(e); ok && open.Slice != e.Slice {
			p.followed.addPair(pairing.Item(e.Family, open, e.End))
		}
	}
	p.events = p.events[:0]
}

func (d *digest) addPair(p index.Message) {
	for _, e := range []index.End{p.Send, p.Receive} {
		d.add(d.count%2, uint64(e.Location), e.Ordinal, e.Slice, uint64(e.Time), e.Length, p.Communicator, p.Tag, p.Send.Ordinal)
	}
}

// pairs compares the pairs that the file lists with those that follow from the events.
func (v *deepVerifier) pairs() error {
	p, last := &v.spans, v.r.Root().Slices-1
	next := map[uint32]uint64{}
	for _, left := range p.open.Left() {
		if of := left.Send.Location; left.Send.Slice < last {
			left.Receive = index.End{Location: of, Ordinal: v.locations[of].Events + next[of], Slice: last, Time: v.info.Last}
			p.followed.addPair(left)
			next[of]++
		}
	}
	if err := v.toldPairs(v.r.Root().Entries); err != nil {
		return err
	}
	if p.told != p.followed {
		v.problem(max(p.place, 0), format.Corruptf("pairs block", -1, "%d pairs of events, or others, reach over slices; %d follow from the events", p.told.count/2, p.followed.count/2))
	}
	return nil
}

func (v *deepVerifier) toldPairs(entries []index.Entry) error {
	for i := range entries {
		if entries[i].Kind != format.BlockPairs {
			continue
		}
		ref := entries[i].Ref
		b, err := v.r.OpenPairs(ref)
		if err != nil {
			return err
		}
		all, err := b.All()
		if err != nil {
			return format.At(err, v.r.Name(), int64(ref.Offset))
		}
		for _, item := range all {
			v.spans.told.addPair(item)
		}
		if v.spans.place < 0 {
			v.spans.place = int64(ref.Offset)
		}
	}
	return nil
}
