package mpe_test

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/convert/mpe/mpetest"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// FuzzCargo reads any cargo by any format, and makes it of its attributes again.
func FuzzCargo(f *testing.F) {
	f.Add("iter=%d, res=%E, tag=%s.", []byte("\x00\x00\x00\x07\x3f\xf0\x00\x00\x00\x00\x00\x00\x00\x03abc"), true)
	f.Add("%s%s%l%X", []byte("\x00\x00\x00\x1eall that there is, and no more!"), false)
	f.Add("100%", []byte{}, true)
	f.Fuzz(func(t *testing.T, format string, cargo []byte, known bool) {
		var l mpe.Log
		labels, letters := mpe.SplitFormat(format)
		if mpe.JoinFormat(labels, letters) != format {
			t.Fatalf("%q became %q and %q", format, labels, letters)
		}
		layout, _ := mpe.NewLayout(&l, labels, letters, mpe.FirstCargoAttr)
		if known {
			layout.Texts(cargo, func(text []byte) { l.String(string(text)) })
		}
		attrs, left := layout.Append(nil, cargo, l.Lookup)
		defs := trace.NewDefinitions(l.Records)
		whole := len(cargo) - len(left)
		back := append(mpetest.Cargo(attrs, whole, func(id uint64) string { return defs.Strings[id] }), left...)
		if len(attrs) == 0 && len(cargo) > 0 || !bytes.Equal(back, cargo) {
			t.Fatalf("%q: %x became %x by %v", format, cargo, back, attrs)
		}
	})
}
