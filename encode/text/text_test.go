package text

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/format"
)

// parsed reads a text or dictionary as it stands in a block.
func parsed(b []byte, limit int) (Text, error) {
	r := format.NewDecoder("block", format.AppendBytes(nil, b))
	t := Read(r, limit)
	return t, r.Finish()
}

// comeBack packs texts, reads what is stored, and returns how many bytes that takes, the dictionary's among them.
func comeBack(t interface{ Fatalf(string, ...any) }, texts [][]byte) (stored int, shared bool) {
	packed, d := Pack(texts)
	var read *Dictionary
	if b := d.Append(nil); len(b) > 0 {
		r := format.NewDecoder("block", format.AppendBytes(nil, b))
		read = ReadDictionary(r)
		if err := r.Finish(); err != nil {
			t.Fatalf("%v", err)
		}
		stored += len(b)
	}
	for i, raw := range texts {
		b := packed[i].Append(nil)
		if len(b) != packed[i].Stored() || packed[i].Len() != len(raw) {
			t.Fatalf("text %d: %d bytes that say %d, of %d that say %d", i, len(b), packed[i].Stored(), len(raw), packed[i].Len())
		}
		stored += len(b)
		text, err := parsed(b, len(raw))
		if err != nil {
			t.Fatalf("text %d: %v", i, err)
		}
		got, err := text.Unpack("block", read)
		if err != nil || !bytes.Equal(got, raw) {
			t.Fatalf("text %d of %d bytes comes back as %d: %v", i, len(raw), len(got), err)
		}
	}
	return stored, read != nil
}

// Texts of any sort come back, and take no more than they are long and a byte.
func TestTextsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringN(0, 40, -1), 1, 8).Draw(t, "words")
		texts := make([][]byte, rapid.IntRange(0, 12).Draw(t, "texts"))
		most := 0
		for i := range texts {
			for range rapid.IntRange(0, 300).Draw(t, "length") {
				texts[i] = append(texts[i], words[rapid.IntRange(0, len(words)-1).Draw(t, "word")]...)
			}
			most += 1 + len(texts[i])
		}
		if stored, _ := comeBack(t, texts); stored > most {
			t.Fatalf("%d bytes for texts of %d", stored, most)
		}
	})
}

// Texts that repeat those of other slices more than themselves share a dictionary; a byte is never more than a text may expand to.
func TestPackChoosesByBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := make([]byte, 3000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	of := func(n int, text func(i int) string) (texts [][]byte) {
		for i := range n {
			texts = append(texts, []byte(text(i)))
		}
		return texts
	}
	for name, c := range map[string]struct {
		texts  [][]byte
		shared bool
		most   int
	}{
		"none":          {nil, false, 0},
		"empty":         {of(3, func(int) string { return "" }), false, 0},
		"short":         {of(5, func(i int) string { return fmt.Sprint("a", i) }), false, 15},
		"random":        {[][]byte{random}, false, 3001},
		"alike":         {of(64, func(i int) string { return string(random) + fmt.Sprint(i) }), true, 6000},
		"repetitive":    {of(4, func(i int) string { return strings.Repeat("x", 1<<20) }), false, 4 * 1100},
		"different":     {of(64, func(i int) string { return fmt.Sprintf("%0200d", r.Uint64()) }), false, 64 * 41},
		"one very long": {of(1, func(i int) string { return strings.Repeat("word ", 1<<16) }), false, 400},
	} {
		stored, shared := comeBack(t, c.texts)
		if shared != c.shared || stored > c.most {
			t.Errorf("%s: %d bytes, shared %v; want %d at most, %v", name, stored, shared, c.most, c.shared)
		}
	}
}

func TestTextsRefuse(t *testing.T) {
	packed, d := Pack([][]byte{bytes.Repeat([]byte("alike "), 3000), bytes.Repeat([]byte("alike "), 2900)})
	if d != nil {
		t.Fatal("a dictionary")
	}
	frame := packed[0].Append(nil)
	bare := frame[4:] // behind form and length
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"an unknown form":     {[]byte{4, 5, 1, 2}, "unknown form 4"},
		"no length":           {[]byte{1}, ""},
		"nothing in a frame":  {[]byte{1, 0}, "empty text"},
		"nothing as it is":    {[]byte{0}, "empty text"},
		"too many bytes":      {append([]byte{1, 0x81, 0x80, 0x80, 0x01}, bare...), "must not become"},
		"over the limit":      {append([]byte{1, 0xb9, 0x8e, 0x01}, bare...), "limit"},
		"without dictionary":  {append([]byte{2, 0xd0, 0x8c, 0x01}, bare...), "without one"},
		"another length":      {append([]byte{1, 0xd1, 0x8c, 0x01}, bare...), "zstd"},
		"a frame that is cut": {frame[:len(frame)-1], "zstd"},
	} {
		text, err := parsed(c.b, 18_100)
		if err == nil {
			_, err = text.Unpack("block", nil)
		}
		if !format.IsCorrupt(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for name, b := range map[string][]byte{"needs one": append([]byte{2}, frame[1:]...), "is phrases": append([]byte{3}, frame[1:]...), "too long": make([]byte, format.TextDictionaryBytes+2)} {
		r := format.NewDecoder("block", format.AppendBytes(nil, b))
		if ReadDictionary(r); !format.IsCorrupt(r.Err()) {
			t.Errorf("a dictionary that %s: %v", name, r.Err())
		}
	}
}
