package format

// Density is how many things a byte stands for at most. Statistics that predict everything make things of no bits at all, so what a reader
// allocates for some bytes is bounded by this, and not by what it takes to code them. Where a writer has more things, it fills up.
const Density = 8

// What is a thing depends on what the bytes hold. These count for more or less than one.
const (
	// PackedBytes is how many bytes of a compressed block count as one thing.
	PackedBytes = 16
	// TextBytes is how many bytes of the text of a slice count as one thing: more than of blocks, since texts may well repeat what the
	// dictionary of their group has.
	TextBytes = 128
	// NameBytes is how many bytes of the texts of definitions count as one thing.
	NameBytes = 4
	// SlotsInThing is how many lines times vectors of a table of summaries, or lines times cells of bins, count as one thing.
	SlotsInThing = 4
	// BinThings is how many things a bin of a model counts for: it has three numbers.
	BinThings = 3
	// RecordThings is how many things a definition counts for.
	RecordThings = 8
)

// TextDictionaryBytes is how many bytes the dictionary of a group's texts has at most.
const TextDictionaryBytes = 64 << 10

// Things returns how many things n small ones count for, of which some count as one.
func Things(n, asOne int) int { return (n + asOne - 1) / asOne }

// LeastBytes returns the least number of bytes that things take.
func LeastBytes(things int) int { return (things + Density - 1) / Density }

// TooDense reports whether things are more than some bytes may stand for.
func TooDense(things uint64, bytes int) bool { return things > Density*uint64(bytes) }

// Fill appends zeros to dst until the part from a place on has a least length.
func Fill(dst []byte, from, least int) []byte {
	if n := least - (len(dst) - from); n > 0 {
		dst = append(dst, make([]byte, n)...)
	}
	return dst
}

// FinishFilled is Finish for bytes that Fill may have extended, the bytes read before included.
func (d *Decoder) FinishFilled(least int) error {
	if d.err == nil {
		zeros := d.Take(max(least-d.pos, 0))
		for _, b := range zeros {
			if b != 0 {
				d.Fail("it is not filled with zeros")
			}
		}
	}
	return d.Finish()
}
