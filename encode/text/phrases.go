package text

import (
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/format"
)

// # Phrases
//
// Texts that programs log repeat their words, with other numbers. Such a text is a row of *phrases*, each with a number behind it or without
// one: decimal, below 10^18, and without zeros before it. A phrase stands once in a list, and is meant by its index.
//
// The *place* behind a phrase tells what to expect there. All that follow on the same phrase are one place; if the phrase is *paired*, all
// that follow on it and on the same phrase before it (or on none). Place 0 is the begin of the text, and the others are numbered from 1 on in
// the order in which the text first comes to them. The phrase behind place p is coded in context p of a model, and the number there in context
// places + p. At some places the number is coded as its difference, modulo 2^64 and zigzag-coded, from the one that was there before, 0 before
// the first one.

// Phrases are
//
//	bytes     list of phrases, a text of form 0 or 1, of
//	          uvarint their number; each uvarint 4·bytes + 2·(1 if it is paired) + (1 if a number follows); the bytes of all
//	uvarint   places
//	bits      for each place: 1 if its numbers are differences; low bits first, the last byte filled with zeros
//	bytes     model
//	uvarint   phrases of the text
//	bytes     their indices, a chain
//	rest      the numbers, a block of values
const (
	mostPhrases  = 1 << 14
	mostPlaces   = 1 << 15
	beyondNumber = 1_000_000_000_000_000_000 // numbers are below
)

// phrase is what stands between two numbers.
type phrase struct {
	text             string
	paired, numbered bool
}

// shortest is how long texts are at least that are packed as phrases: shorter ones do not pay for a list and a model of their own.
const shortest = 1 << 10

// PackPhrases returns a text as phrases and numbers, nil if it is short, has too many different phrases, or is too much alike.
func PackPhrases(raw []byte) []byte {
	if len(raw) < shortest {
		return nil
	}
	return packPhrases(raw)
}

func packPhrases(raw []byte) []byte {
	c := cutUp(raw)
	if c == nil {
		return nil
	}
	c.pair()
	l := c.layOut()
	if l == nil {
		return nil
	}
	counts, numbers := l.numbers()
	m := l.model(counts, numbers)
	dst := appendList(nil, c.phrases)
	dst = format.AppendUvarint(dst, uint64(len(l.behind)))
	dst = appendBits(dst, l.behind)
	dst = format.AppendBytes(dst, m.Append(nil))
	dst = format.AppendUvarint(dst, uint64(len(c.row)))
	dst = format.AppendBytes(dst, m.AppendChain(nil, l.contexts, l.indices))
	dst = m.Encode(dst, counts, numbers)
	if format.TooDense(phraseThings(len(c.row)), len(dst)) {
		return nil
	}
	return dst
}

// phraseThings returns how many things the phrases of a text count for: two are one.
func phraseThings(n int) uint64 { return uint64(format.Things(n, 2)) }

// appendList appends the list of phrases.
func appendList(dst []byte, phrases []phrase) []byte {
	list := format.AppendUvarint(nil, uint64(len(phrases)))
	for _, p := range phrases {
		list = format.AppendUvarint(list, uint64(4*len(p.text))+2*uint64(bitio.FromBool(p.paired))+uint64(bitio.FromBool(p.numbered)))
	}
	for _, p := range phrases {
		list = append(list, p.text...)
	}
	packed := pack(list)
	return format.AppendBytes(dst, packed.Append(nil))
}

// appendBits appends for each place whether its numbers are differences.
func appendBits(dst []byte, behind []behind) []byte {
	for i := range behind {
		if i&7 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= bitio.FromBool(behind[i].differences) << (i & 7)
	}
	return dst
}
