package index

import (
	"testing"

	"github.com/pandotrace/pando/format"
)

// Totals say again what they were told of doubts, and nothing if there are none. Other extensions around it are passed over.
func TestDoubts(t *testing.T) {
	for _, d := range []Doubts{{}, {BackwardMessages: 1}, {OpenRequests: 300, UnlikeRanks: 2}} {
		written := Totals{Info: Info{Doubts: d}}
		b := written.Append(nil)
		read, err := ReadTotals(format.AppendExtension(b, 8, []byte("later")))
		if err != nil || read.Doubts != d {
			t.Errorf("%+v: read %+v, %v", d, read.Doubts, err)
		}
	}
	plain := (&Totals{}).Append(nil)
	for what, b := range map[string][]byte{
		"one number":   format.AppendExtension(plain, doubtsTag, []byte{1}),
		"four numbers": format.AppendExtension(plain, doubtsTag, []byte{1, 1, 1, 1}),
	} {
		if _, err := ReadTotals(b); !format.IsCorrupt(err) {
			t.Errorf("%s: %v, want a corrupt block", what, err)
		}
	}
}
