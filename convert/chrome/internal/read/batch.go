package read

import (
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// Batch is events with the text of each.
type Batch struct {
	text   []byte
	rows   []row
	others []scan.Member // of all rows: those that the model has no place for
	likely [likelyKeys]likely
}

// likely is the key of the n-th member of an event that had one so far.
type likely struct {
	scan.Likely
	key key
}

// likelyKeys is how many members of an event are guessed.
const likelyKeys = 16

// row is an event: where in the text of the batch it stands, and where in its text its values do.
type row struct {
	values   [keys]scan.Span
	phase    byte // 0 if it has none of one letter
	from, to uint32
	others   uint32 // where its other members end
	line, at int64  // the line, and the byte of the file, that it begins with
}

const (
	batchText   = 64 << 10
	batchEvents = 2048
	// batchKept bounds the memory, in bytes, of a batch that is used again.
	batchKept = 4 * batchText
)

// Take passes over an event, which begins at a line and a byte of the file, and adds it to the batch.
func (b *Batch) Take(s *scan.Scanner, line, at int64) error {
	r, others := b.add(), len(b.others)
	r.line, r.at, r.from = line, at, uint32(len(b.text))
	more, err := s.Enter()
	for i := 0; more && err == nil; i++ {
		if err = b.member(r, s, &b.likely[i%likelyKeys]); err == nil {
			more, err = s.More()
		}
	}
	if err != nil {
		b.rows, b.others = b.rows[:len(b.rows)-1], b.others[:others]
		return err
	}
	b.text = append(b.text, s.Text[:s.At]...)
	r.to, r.others = uint32(len(b.text)), uint32(len(b.others))
	return nil
}

// add adds an empty row.
func (b *Batch) add() *row {
	n := len(b.rows)
	b.rows = slices.Grow(b.rows, 1)[:n+1]
	r := &b.rows[n]
	*r = row{}
	return r
}

// member passes over a member. Its key is probably the one that stood there in the event before.
func (b *Batch) member(r *row, s *scan.Scanner, guess *likely) error {
	k := guess.key
	var m scan.Member
	var err error
	if key, ok := s.Pass(&guess.Likely); ok {
		m.Key = key
		m.Value, err = s.ValueSpan()
	} else if m, err = s.Member(); err == nil {
		text := m.Key.Of(s.Text)
		k = keyOf(text)
		*guess = likely{scan.NewLikely(text), k}
	}
	if err == nil && !r.set(k, s.Text, m.Value) {
		b.others = append(b.others, m)
	}
	return err
}

// set takes in a value. It returns false if the model has no place for it.
func (r *row) set(k key, text []byte, value scan.Span) bool {
	switch k {
	case keyPhase:
		return r.setPhase(value.Of(text))
	case otherKey:
		return false
	}
	r.values[k] = value
	return true
}

func (r *row) setPhase(value []byte) bool {
	if len(value) != 3 || !scan.IsString(value) {
		r.phase = 0
		return false
	}
	r.phase = value[1]
	return true
}

// keyOf returns which key a text is.
func keyOf(text []byte) key {
	switch string(text) {
	case `"ph"`:
		return keyPhase
	case `"name"`:
		return keyName
	case `"cat"`:
		return keyCat
	case `"ts"`:
		return keyTime
	case `"dur"`:
		return keyDuration
	case `"pid"`:
		return keyPid
	case `"tid"`:
		return keyTid
	case `"id"`, `"id2"`:
		return keyID
	case `"args"`:
		return keyArgs
	case `"bind_id"`:
		return keyBind
	case `"flow_in"`:
		return keyFlowIn
	case `"flow_out"`:
		return keyFlowOut
	case `"bp"`:
		return keyFlag
	case `"` + form.AloneKey + `"`:
		return keyAlone
	case `"` + form.OrderKey + `"`:
		return keyOrder
	}
	return otherKey
}

// Len returns the number of events.
func (b *Batch) Len() int { return len(b.rows) }

// Full reports whether the batch has as many events as a batch should.
func (b *Batch) Full() bool { return len(b.text) >= batchText || len(b.rows) >= batchEvents }

// event makes e one of the events, until the batch is reset.
func (b *Batch) event(e *event, i int) {
	e.row = &b.rows[i]
	e.text = b.text[e.row.from:e.row.to]
	e.fields = e.fields[:0]
	from := uint32(0)
	if i > 0 {
		from = b.rows[i-1].others
	}
	for _, m := range b.others[from:e.row.others] {
		e.fields = append(e.fields, field{m.Key.Of(e.text), m.Value.Of(e.text)})
	}
}

// large reports whether the batch has an event of much more than the usual size.
func (b *Batch) large() bool { return len(b.text) > batchKept }

// Reset empties the batch. It keeps memory of the usual size.
func (b *Batch) Reset() {
	if cap(b.text) > batchKept {
		*b = Batch{likely: b.likely}
	}
	b.text, b.rows, b.others = b.text[:0], b.rows[:0], b.others[:0]
}
