package text

import "github.com/pandotrace/pando/format"

const (
	// stretch is how long the stretches of texts are that a dictionary is made of.
	stretch = 1 << 10
	// worthwhile is how many bytes of texts there are at least where a dictionary is tried, and how many of them a byte of it
	// stands for.
	worthwhile, perByte = 8 << 10, 8
	// hardlyLess is which part the longest text of a group is shorter by at least as phrases, if these are to be tried for the others.
	hardlyLess = 8
)

// Pack stores the texts of a group, in forms that take the least bytes all together, and returns the dictionary that they share: nil if they
// share none. The dictionary is sampled from the texts, at even distances.
func Pack(texts [][]byte) ([]Text, *Dictionary) {
	packed := make([]Text, len(texts))
	all, some, least := 0, 0, 0
	longest := 0
	for i, raw := range texts {
		if packed[i] = pack(raw); len(raw) > len(texts[longest]) {
			longest = i
		}
	}
	asPhrases(packed, texts, longest)
	for i, raw := range texts {
		all += len(raw)
		some += min(len(raw), 1)
		least += packed[i].Stored()
	}
	if some < 2 || all < worthwhile {
		return packed, nil
	}
	d := &Dictionary{stored: pack(sample(texts, all))}
	content, err := d.content("")
	if err != nil {
		panic(err) // it was packed just now
	}
	with := packWith(content, texts, packed)
	n := d.stored.Stored()
	for i := range with {
		n += with[i].Stored()
	}
	if n >= least {
		return packed, nil
	}
	return with, d
}

// asPhrases takes the texts as phrases that become shorter by that, if the longest one does.
func asPhrases(packed []Text, texts [][]byte, longest int) {
	if len(texts) == 0 {
		return
	}
	before := packed[longest].Stored()
	if tryPhrases(&packed[longest], texts[longest]); packed[longest].Stored() > before-before/hardlyLess {
		return
	}
	for i := range texts {
		if i != longest {
			tryPhrases(&packed[i], texts[i])
		}
	}
}

// tryPhrases takes a text as phrases if it becomes shorter by that.
func tryPhrases(packed *Text, raw []byte) {
	p := Text{phrasesForm, len(raw), PackPhrases(raw)}
	if p.stored != nil && p.Stored() < packed.Stored() && !p.dense() {
		*packed = p
	}
}

// sample returns stretches of texts; all is the number of bytes that these have together.
func sample(texts [][]byte, all int) []byte {
	n := min(all/perByte, format.TextDictionaryBytes) / stretch
	out := make([]byte, 0, n*stretch)
	at, next := 0, 0 // in all texts
	for _, raw := range texts {
		for ; next < at+len(raw); next += all / n {
			from := next - at
			out = append(out, raw[from:min(from+stretch, len(raw))]...)
		}
		at += len(raw)
	}
	return out[:min(len(out), format.TextDictionaryBytes)]
}
