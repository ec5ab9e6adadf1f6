package text

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

// FuzzText unpacks any text with any dictionary.
func FuzzText(f *testing.F) {
	texts := [][]byte{[]byte("short"), bytes.Repeat([]byte("alike, "), 700)}
	for i := range 16 {
		texts = append(texts, []byte(string(make([]byte, i))+"what all of them share, and what they do not:"+string(bytes.Repeat([]byte{byte(i), 'a', byte(3 * i)}, 200))))
	}
	packed, d := Pack(append(texts, logOf(200)))
	for i := range packed {
		f.Add(d.Append(nil), packed[i].Append(nil))
	}
	f.Fuzz(func(t *testing.T, dictionary, text []byte) {
		encodetest.Bounded(t, len(dictionary)+len(text), func() {
			r := format.NewDecoder("block", append(format.AppendBytes(nil, dictionary), format.AppendBytes(nil, text)...))
			d, packed := ReadDictionary(r), Read(r, 1<<24)
			if encodetest.Refused(t, r.Finish()) {
				return
			}
			if !bytes.Equal(packed.Append(nil), text) || !bytes.Equal(d.Append(nil), dictionary) {
				t.Fatal("not canonical")
			}
			raw, err := packed.Unpack("block", d)
			if !encodetest.Refused(t, err) && len(raw) != packed.Len() {
				t.Fatalf("%d bytes, of %d", len(raw), packed.Len())
			}
		})
	})
}

// FuzzPhrases unpacks any bytes as phrases, and packs any bytes.
func FuzzPhrases(f *testing.F) {
	for _, raw := range [][]byte{logOf(3), logOf(60), bytes.Repeat([]byte("a1b20"), 40), []byte("007\n99999999999999999999")} {
		f.Add(packPhrases(raw), len(raw))
		f.Add(raw, len(raw))
	}
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if packed := packPhrases(b); packed != nil {
			mustUnpack(t, packed, b)
		}
		if size < 0 || size > 1024*len(b) {
			return
		}
		encodetest.Bounded(t, len(b)+size, func() {
			if raw, err := UnpackPhrases("block", b, size); !encodetest.Refused(t, err) && len(raw) != size {
				t.Fatalf("%d bytes, not %d", len(raw), size)
			}
		})
	})
}
