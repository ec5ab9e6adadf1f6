package slice

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
)

// Structure is the structure of the events of one lane in one slice: the tokens of each location, without any value, and without what the block
// has for values alone: phases and residuals.
type Structure struct {
	Block
	Dictionary *shape.Dictionary

	room readRoom
}

// Decode decodes a slice block up to its values. It looks neither at these nor at what they need. What s held is gone, its memory is used again. The dictionary must hold all shapes of
// the slice's epoch. The tokens of each run have as many events as the run; nothing is expanded.
func (s *Structure) Decode(b []byte, d *shape.Dictionary, t *TokenStatistics, limits format.Limits) error {
	r := format.NewDecoder(sliceSection, b)
	s.Dictionary = d
	s.Block, _, _, _ = readSlice(r, d, t, limits.WithDefaults(), false, &s.room)
	return r.Err()
}

// Memory returns about how many bytes the structure takes.
func (s *Structure) Memory() int64 {
	const runBytes = 150
	n := runBytes * len(s.Runs)
	for i := range s.Runs {
		n += 8 * len(s.Runs[i].Tokens)
	}
	return int64(n)
}
