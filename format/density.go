package format

// What a byte can stand for. Statistics that predict everything make things of no bits at all, so what a reader allocates for some
// bytes is bounded by these, and not by what it takes to code them. Where a writer has more things, it fills up with zeros.
const (
	// ZstdExpansion is how many bytes one byte of a block compressed by zstd becomes at most.
	ZstdExpansion = 128
	// TextExpansion is how many bytes one byte of a compressed text of a slice becomes at most. It is more than that of blocks: texts may well
	// repeat what the dictionary of their group has.
	TextExpansion = 1024
	// ModelDensity is how many contexts, tables and bins, which count thrice, a byte of a model stands for at most.
	ModelDensity = 8
	// PageDensity is how many demotions, ranks, shapes, edges, words and attributes a byte of a page of shapes stands for at most.
	PageDensity = 8
	// RosterDensity is how many slices and shares a byte of a roster stands for at most.
	RosterDensity = 32
	// ItemDensity is how many calls or messages, and things that they have in common, a byte of a block of them stands for at most.
	ItemDensity = 8
	// TextDensity is how many bytes of the texts of definitions a byte of their page stands for at most.
	TextDensity = 32
)

// TextDictionaryBytes is how many bytes the dictionary of a group's texts has at most.
const TextDictionaryBytes = 64 << 10

// Dense returns the least number of bytes that things take, of which a byte holds at most density.
func Dense(things, density int) int { return (things + density - 1) / density }

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
