package trace

// Record is one record outside of a batch: a definition.
type Record struct {
	Kind Kind
	// Words holds one word for each field, as in a [Batch].
	Words []uint64
	// Text holds the bytes of text and byte fields.
	Text []byte
}

// PutText appends bytes to the record's text and returns the word that stands for them.
func (r *Record) PutText(s string) uint64 {
	word := uint64(len(r.Text))<<32 | uint64(len(s))
	r.Text = append(r.Text, s...)
	return word
}

// TextOf returns the bytes that a word of a text or byte field stands for.
func (r *Record) TextOf(word uint64) string { return string(textAt(r.Text, word)) }
