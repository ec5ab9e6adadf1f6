package text

// Phrases are at most longestPhrase bytes long, and end at the end of a line; one of more bytes goes on as another one.
const longestPhrase = 255

// cut is a text that is cut up into phrases and numbers.
type cut struct {
	phrases []phrase
	index   map[phrase]uint32
	row     []uint32 // the phrases of the text
	numbers []uint64 // behind each of them; 0 where there is none
}

// A text that has more different phrases than fewPhrases, and than one for bytesPerPhrase of its bytes so far, hardly repeats any.
const fewPhrases, bytesPerPhrase = 256, 64

// cutUp cuts up a text; nil if it has too many different phrases.
func cutUp(raw []byte) *cut {
	c := &cut{index: map[phrase]uint32{}}
	for from := 0; from < len(raw); {
		end, next, number, numbered := piece(raw, from)
		c.add(raw[from:end], number, numbered)
		if from = next; len(c.phrases) > min(mostPhrases, fewPhrases+from/bytesPerPhrase) {
			return nil
		}
	}
	return c
}

// piece finds where the phrase that begins at a place ends, and where the next one begins: behind a number, if it has one.
func piece(raw []byte, from int) (end, next int, number uint64, numbered bool) {
	for end = from; end < len(raw) && end-from < longestPhrase; end++ {
		switch b := raw[end]; {
		case isDigit(b) && (b != '0' || end+1 == len(raw) || !isDigit(raw[end+1])):
			number, next = numberAt(raw, end)
			return end, next, number, true
		case b == '\n':
			return end + 1, end + 1, 0, false
		}
	}
	return end, end, 0, false
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// numberAt reads a number, of as many digits as are below the bound, and returns where it ends.
func numberAt(raw []byte, at int) (number uint64, end int) {
	for end = at; end < len(raw) && isDigit(raw[end]) && number < beyondNumber/10; end++ {
		if number = 10*number + uint64(raw[end]-'0'); number == 0 {
			return 0, end + 1
		}
	}
	return number, end
}

// add adds the next phrase, and the number behind it.
func (c *cut) add(text []byte, number uint64, numbered bool) {
	i, ok := c.index[phrase{text: string(text), numbered: numbered}] // which makes no text of it
	if !ok {
		p := phrase{text: string(text), numbered: numbered}
		i = uint32(len(c.phrases))
		c.index[p], c.phrases = i, append(c.phrases, p)
	}
	c.row, c.numbers = append(c.row, i), append(c.numbers, number)
}
