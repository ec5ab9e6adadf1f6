package otf

import "github.com/pandotrace/pando/trace"

// putList makes the attributes of a definition records of their own before it.
func (r *reader) putList() {
	b := r.cur.batch
	n := len(r.attrs) + len(r.bytes)
	for place := range n {
		if len(r.bytes) > 0 && r.bytes[0].place == place {
			v := r.bytes[0]
			r.bytes = r.bytes[1:]
			b.Words = append(b.Words, r.streamID, v.key, uint64(v.place), putText(b, v.value))
			r.append(r.cur, trace.KindOtfKeyBytes, 0)
			continue
		}
		a := r.attrs[0]
		r.attrs = r.attrs[1:]
		b.Words = append(b.Words, r.streamID, a.ID, uint64(a.Type), a.Value)
		r.append(r.cur, trace.KindOtfKeyValue, 0)
	}
	r.forget()
}
