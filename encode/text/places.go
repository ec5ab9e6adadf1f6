package text

// noPhrase stands for the phrase before the first one.
const noPhrase = ^uint32(0)

// places numbers the places of a text in the order in which they come, while one goes through it.
type places struct {
	before  uint32 // the latest phrase
	phrases []phrase
	single  []uint32          // by phrase; 0 if the text has not come there
	pairs   map[uint64]uint32 // by phrase before, and phrase
	of      []uint32          // by place: the phrase before it
}

func newPlaces(phrases []phrase) places {
	return places{before: noPhrase, phrases: phrases, single: make([]uint32, len(phrases)), pairs: map[uint64]uint32{}, of: []uint32{noPhrase}}
}

// behind returns the place behind the next phrase.
func (p *places) behind(phrase uint32) (place uint32) {
	before := p.before
	p.before = phrase
	if !p.phrases[phrase].paired {
		if place = p.single[phrase]; place == 0 {
			place = p.next(phrase)
			p.single[phrase] = place
		}
		return place
	}
	pair := uint64(before)<<32 | uint64(phrase)
	if place = p.pairs[pair]; place == 0 {
		place = p.next(phrase)
		p.pairs[pair] = place
	}
	return place
}

func (p *places) next(phrase uint32) uint32 {
	p.of = append(p.of, phrase)
	return uint32(len(p.of) - 1)
}
