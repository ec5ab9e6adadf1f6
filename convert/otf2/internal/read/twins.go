package read

import (
	"slices"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// putMark appends the mark of the next event as a record of its own.
func (s *Stream) putMark(b *trace.Batch) {
	b.Words = append(b.Words, s.mark.Time-s.epoch)
	attrs := s.attrs
	s.attrs = nil
	s.finish(b, s.mark.Kind)
	s.attrs, s.mark = attrs, form.Mark{}
}

// twinUse says that a record has one of them.
type twinUse struct {
	form.SharedID
	local uint64
}

// note keeps that the record that is being read has a local id that has twins.
func (d *decoder) note(space trace.Space, local, global uint64) {
	if d.maps[space].IsTwin(local, global) {
		d.used = append(d.used, twinUse{form.SharedID{Space: space, Global: global}, local})
	}
}

// global translates an id of the record that is being read.
func (d *decoder) global(space trace.Space, local uint64) uint64 {
	g := d.maps[space].Global(local)
	if d.maps[space].Shared != nil {
		d.note(space, local, g)
	}
	return g
}

// inUse reports whether a local id is the one that is in use for a definition.
func (d *decoder) inUse(space trace.Space, local, global uint64) bool {
	if !d.maps[space].IsTwin(local, global) {
		return true
	}
	now, ok := d.twins[form.SharedID{Space: space, Global: global}]
	if !ok {
		now = d.maps[space].Shared[global]
	}
	return now == local
}

// settle makes the record's ids the twins in use, and keeps the ids for which that is a change. Of two ids of one definition the later
// one counts.
func (d *decoder) settle() {
	d.settled = true
	if !slices.ContainsFunc(d.used, func(u twinUse) bool { return !d.inUse(u.Space, u.local, u.Global) }) {
		return
	}
	if d.twins == nil {
		d.twins = form.TwinState{}
	}
	last := form.TwinState{}
	for _, u := range d.used {
		last[u.SharedID] = u.local
	}
	for _, u := range d.used {
		if local := last[u.SharedID]; !d.inUse(u.Space, local, u.Global) {
			d.twins[u.SharedID] = local
			d.changes = append(d.changes, twinUse{u.SharedID, local})
		}
	}
}

// putChange appends the next record that says which local id is in use from the next event on.
func (s *Stream) putChange(b *trace.Batch) {
	u := s.changes[0]
	s.changes = s.changes[1:]
	b.Words = append(b.Words, uint64(u.Space), u.local)
	attrs := s.attrs
	s.attrs = nil
	s.finish(b, trace.KindEventLocalID)
	s.attrs = attrs
}
