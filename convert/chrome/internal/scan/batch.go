package scan

// Batch is objects of a list, each with its text.
type Batch struct {
	text    []byte
	members []Member
	objects []batched
}

// batched is an object: where its text and its members end, and the line that it begins on.
type batched struct {
	text, members int
	line          int64
}

const (
	batchText = 128 << 10
	// batchKept bounds the memory, in bytes, of a batch that is used again.
	batchKept = 4 * batchText
)

// Take passes over an object, which begins on a line, and adds it to the batch.
func (b *Batch) Take(s *Scanner, line int64) error {
	from, members := s.At, len(b.members)
	var err error
	if b.members, err = s.Object(b.members); err != nil {
		b.members = b.members[:members]
		return err
	}
	for i := members; i < len(b.members); i++ {
		b.members[i].shift(from)
	}
	b.text = append(b.text, s.Text[from:s.At]...)
	b.objects = append(b.objects, batched{len(b.text), len(b.members), line})
	return nil
}

func (m *Member) shift(by int) {
	m.Key.From -= uint32(by)
	m.Key.To -= uint32(by)
	m.Value.From -= uint32(by)
	m.Value.To -= uint32(by)
}

// Len returns the number of objects.
func (b *Batch) Len() int { return len(b.objects) }

// Full reports whether the batch has so many that it should be worked off.
func (b *Batch) Full() bool { return len(b.text) >= batchText }

// Object returns the text of an object, its members, and the line that it begins on.
func (b *Batch) Object(i int) (text []byte, members []Member, line int64) {
	var from batched
	if i > 0 {
		from = b.objects[i-1]
	}
	o := b.objects[i]
	return b.text[from.text:o.text], b.members[from.members:o.members], o.line
}

// Reset empties the batch. It keeps memory of the usual size.
func (b *Batch) Reset() {
	if cap(b.text) > batchKept {
		*b = Batch{}
	}
	b.text, b.members, b.objects = b.text[:0], b.members[:0], b.objects[:0]
}
