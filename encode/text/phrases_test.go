package text

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/format"
)

// mustUnpack unpacks phrases, and fails if they are not those of a text.
func mustUnpack(t interface{ Fatalf(string, ...any) }, packed, raw []byte) {
	got, err := UnpackPhrases("block", packed, len(raw))
	if err != nil || !bytes.Equal(got, raw) {
		t.Fatalf("%d bytes come back as %d: %v", len(raw), len(got), err)
	}
}

// Texts of any phrases and digits come back.
func TestPhrasesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.OneOf(
			rapid.StringN(1, 20, 300),
			rapid.StringMatching(`[0-9]{1,40}`),
			rapid.SampledFrom([]string{"\n", "0", "00", "-1.5e+03 ", "0x00ff", "18446744073709551616"}),
		), 1, 12).Draw(t, "pieces")
		var raw []byte
		for range rapid.IntRange(1, 400).Draw(t, "length") {
			if rapid.IntRange(0, 3).Draw(t, "any number") == 0 {
				raw = strconv.AppendUint(raw, rapid.Uint64().Draw(t, "number"), 10)
			}
			raw = append(raw, pieces[rapid.IntRange(0, len(pieces)-1).Draw(t, "piece")]...)
		}
		packed := packPhrases(raw)
		if packed == nil {
			t.Fatalf("%d bytes of few phrases are not packed", len(raw))
		}
		mustUnpack(t, packed, raw)
	})
}

// logOf returns lines with a time, a number of a few digits that is drawn, and one that depends on the form of the line.
func logOf(lines int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	for i := range lines {
		switch r.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "[%9d] rank %d sends %d bytes\n", 7*i+r.IntN(4), r.IntN(64), 8<<r.IntN(4))
		case 1:
			fmt.Fprintf(&b, "[%9d] iteration %d: residual %.5e\n", 7*i+r.IntN(4), i, 1+r.Float64())
		default:
			fmt.Fprintf(&b, "[%9d] cache (%d,%d) of 0012 is full\n", 7*i+r.IntN(4), r.IntN(16), r.IntN(16))
		}
	}
	return b.Bytes()
}

// A log takes little more than what is drawn: which form, times, and numbers.
func TestPhrasesOfLogs(t *testing.T) {
	const lines = 20_000
	raw := logOf(lines)
	packed := PackPhrases(raw)
	mustUnpack(t, packed, raw)
	drawn := 1.6 + 3.3 + (6.0+2.0+16.6+2.0+8.0)/3 // bits of a line: form, difference of times, the numbers of the three forms
	if limit := lines * drawn / 8 * 1.15; float64(len(packed)) > limit {
		t.Errorf("%d bytes, more than %.0f", len(packed), limit)
	}
	packs, _ := Pack([][]byte{raw})
	if packs[0].form != phrasesForm {
		t.Errorf("a log is stored in form %d", packs[0].form)
	}
	if frame := pack(raw); 2*packs[0].Stored() > frame.Stored() {
		t.Errorf("%d bytes, a frame has %d", packs[0].Stored(), frame.Stored())
	}
}

// What follows may depend on two phrases, numbers may rise, and a phrase may end without a number.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "(%d,%d,%d)\n", r.IntN(7), 1000+i, r.IntN(500)) // there are two commas
	}
	raw := []byte(b.String())
	c := cutUp(raw)
	c.pair()
	if !c.phrases[1].paired || c.phrases[1].text != "," {
		t.Errorf("phrases are %v", c.phrases)
	}
	l := c.layOut()
	if len(l.behind) > 5 {
		t.Errorf("%d places", len(l.behind))
	}
	rising := 0
	for _, b := range l.behind {
		if b.differences {
			rising++
		}
	}
	if rising != 1 {
		t.Errorf("numbers at %d places are differences", rising)
	}
}

func TestTextsThatAreNoPhrases(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := make([]byte, 1<<16)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for name, raw := range map[string][]byte{
		"random bytes":  random,
		"all the same":  bytes.Repeat([]byte("again\n"), 1<<16),
		"the same zero": bytes.Repeat([]byte("0"), 1<<20),
	} {
		if b := PackPhrases(raw); b != nil {
			t.Errorf("%s: %d bytes of %d", name, len(b), len(raw))
		}
	}
}

// Any byte of phrases that is changed or missing is noticed, or makes another text of the same length.
func TestDamagedPhrases(t *testing.T) {
	raw := logOf(120)
	packed := PackPhrases(raw)
	refused := 0
	try := func(b []byte, size int) {
		got, err := UnpackPhrases("block", b, size)
		if err != nil && !format.IsCorrupt(err) || err == nil && len(got) != size {
			t.Fatalf("%d bytes: %v", len(got), err)
		}
		if err != nil {
			refused++
		}
	}
	for at := range packed {
		for _, flip := range []byte{1, 0x10, 0xff} {
			b := bytes.Clone(packed)
			b[at] ^= flip
			try(b, len(raw))
		}
		try(packed[:at], len(raw))
	}
	if refused < 2*len(packed) {
		t.Errorf("%d of %d were refused", refused, 4*len(packed))
	}
	refused = 0
	for _, size := range []int{0, 1, len(raw) - 1, len(raw) + 1, 2 * len(raw)} {
		try(packed, size)
	}
	if refused != 5 {
		t.Errorf("%d other sizes of 5 are refused", refused)
	}
}
