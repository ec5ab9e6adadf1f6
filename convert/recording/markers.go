package recording

import (
	"io"

	"github.com/pandotrace/pando/trace"
)

// markerWords is how many words a record of a marker has in a recording: the marker and its text, by their numbers in the file.
const markerWords = 2

// markerKey is what a marker is known by.
type markerKey struct {
	group, category string
	severity        byte
}

// marks are the markers and texts that a file defines.
type marks struct {
	markers []uint64 // of the trace
	texts   []string
}

// has reports whether the words of a record are those of a marker and a text that the file defines.
func (m *marks) has(words []uint64) bool {
	return len(words) == markerWords && words[0] < uint64(len(m.markers)) && words[1] < uint64(len(m.texts))
}

// marker returns the trace's number of a marker.
func (d *definitions) marker(k markerKey) uint64 {
	id, ok := d.markers[k]
	if !ok {
		id = uint64(len(d.markerList))
		d.markers[k] = id
		d.markerList = append(d.markerList, k)
	}
	return id
}

// readMark takes a marker or a text. Numbers of each are given one after the other.
func (d *definitions) readMark(m *marks, kind byte, id uint64, r *reader) {
	if kind == defineText {
		text := r.text()
		if r.bad = r.bad || id != uint64(len(m.texts)); !r.bad {
			m.texts = append(m.texts, text)
		}
		return
	}
	k := markerKey{severity: r.byte(), group: r.text(), category: r.text()}
	if r.bad = r.bad || id != uint64(len(m.markers)); !r.bad {
		m.markers = append(m.markers, d.marker(k))
	}
}

// markers gives the definitions of markers, and then the markers of all locations, one after the other.
type markers struct {
	kinds     []markerKey               // of the trace, by their numbers
	defined   int                       // of them, so far
	at        func(*file, uint64) int64 // a time of a file, in ticks of the trace
	locations []*location               // the one at hand, and those that are still to come
	feed      *feed                     // of the location at hand; nil before it is read
	err       error
}

// mostText is how much text a batch has, in bytes, before it ends: many markers may have one long text.
const mostText = 1 << 20

// Next returns the next definitions and markers.
func (m *markers) Next(b *trace.Batch, max int) error {
	b.Reset(0)
	for ; b.Len() < max && len(b.Text) < mostText && m.defined < len(m.kinds); m.defined++ {
		k := m.kinds[m.defined]
		b.Append(trace.KindDefMarker, 0, uint64(m.defined), b.PutText(k.group), b.PutText(k.category), uint64(k.severity))
	}
	for b.Len() < max && len(b.Text) < mostText && m.step(b) {
	}
	if b.Len() > 0 {
		return nil
	}
	if m.err != nil {
		return m.err
	}
	return io.EOF
}

// step adds the next marker. It returns false at the end, or at an error.
func (m *markers) step(b *trace.Batch) bool {
	for m.err == nil {
		if len(m.locations) == 0 {
			return false
		}
		if l := m.locations[0]; m.feed == nil {
			m.feed = &feed{chain: chain{f: l.f, bins: l.events}, marks: true}
		}
		if x, ok := m.feed.head(); ok {
			m.put(b, x)
			m.feed.full = false
			return true
		}
		m.err, m.feed, m.locations = m.feed.err, nil, m.locations[1:]
	}
	return false
}

// put adds a marker at the time of an event.
func (m *markers) put(b *trace.Batch, x *event) {
	const atLocation = 1 // what the scope is
	f := m.feed.f
	at := uint64(m.at(f, x.time))
	b.Append(trace.KindMarker, 0, at, 0, f.marks.markers[x.words[0]], atLocation, m.locations[0].id, b.PutText(f.marks.texts[x.words[1]]))
}

// Close gives the memory back.
func (m *markers) Close() error {
	*m = markers{}
	return nil
}
