package edit

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// define makes the definitions of the merged trace: its clock, then those of the traces.
func (m *merge) define() error {
	m.definitions = []trace.Record{{Kind: trace.KindClockProperties, Words: m.clock()}}
	united := map[uint64]bool{} // paradigms whose group of all processes is defined
	paradigms := map[uint64]bool{}
	for _, t := range m.members {
		fresh := map[uint64]bool{}
		for i := range t.definitions.Log {
			d := &t.definitions.Log[i]
			if err := t.reaches(d.Kind, d.Words); err != nil {
				return err
			}
			switch {
			case t.shared[i] || foreign(d.Kind):
			case d.Kind == trace.KindParadigm && paradigms[d.Words[0]]:
			case d.Kind == trace.KindGroup && len(d.Words) >= groupWords:
				m.definitions = append(m.definitions, m.group(t, d, united))
			default:
				if d.Kind == trace.KindParadigm {
					fresh[d.Words[0]] = true
				}
				m.definitions = append(m.definitions, t.translate(d))
			}
		}
		for p := range fresh {
			paradigms[p] = true
		}
	}
	return nil
}

// foreign reports whether a definition speaks of a trace in its own format, or of its clock.
func foreign(k trace.Kind) bool {
	return k == trace.KindClockProperties || k == trace.KindUnknownDefinition || k == trace.KindDefinitionRest ||
		k >= trace.KindOtfVersion && k <= trace.KindOtfKeyBytes || k >= trace.KindMpeLine && k <= trace.KindSlogLine
}

// groupWords is how many words a group without members has.
const groupWords = 6

// group translates a group. The first one of all processes of a paradigm gets those of all traces, in whose order ranks are; those of
// later traces become groups of them.
func (m *merge) group(t *member, d *trace.Record, united map[uint64]bool) trace.Record {
	to := t.translate(d)
	n := d.Words[2]
	head, members, tail := to.Words[:3], d.Words[3:3+n], to.Words[3+n:]
	list := make([]uint64, n)
	paradigm := tail[1]
	switch {
	case tail[0] == groupCommLocations && !united[paradigm]:
		united[paradigm] = true
		list = m.processes(paradigm)
	case tail[0] == groupCommLocations:
		tail[0] = groupCommGroup
		for i := range list {
			list[i] = t.ranks[paradigm] + uint64(i)
		}
	default:
		for i, v := range members {
			list[i] = t.groupMember(tail[0], paradigm, v)
		}
	}
	head[2] = uint64(len(list))
	to.Words = slices.Concat(head, list, tail)
	return to
}

// groupMember translates a member of a group of some type.
func (t *member) groupMember(typ, paradigm, v uint64) uint64 {
	switch space := trace.MemberSpace(typ); {
	case typ == groupCommGroup:
		return v + t.ranks[paradigm]
	case space == trace.SpaceLocation:
		return t.id(space, v, 64)
	case space != trace.SpaceNone:
		return t.id(space, v, 32)
	}
	return v
}

// processes returns the processes of all traces that communicate by a paradigm, by their ranks.
func (m *merge) processes(paradigm uint64) (all []uint64) {
	for _, t := range m.members {
		list := t.commLocations()
		i := slices.IndexFunc(list, func(g trace.Group) bool { return g.Paradigm == paradigm })
		if i < 0 {
			continue
		}
		for _, id := range list[i].Members {
			all = append(all, t.id(trace.SpaceLocation, id, 64))
		}
	}
	return all
}
