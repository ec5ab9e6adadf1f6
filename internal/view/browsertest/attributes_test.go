package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// TestAttributes: details show the attributes with which the innermost call begins and ends, of two calls at one tick those of the right one.
func TestAttributes(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1e9})
	process, outer, inner := src.Process("process"), src.Region("outer"), src.Region("inner")
	attribute := func(id uint64, name string, kind trace.ValueType) {
		src.Define(trace.KindAttribute, id, src.String(name), uint64(kind), src.String(name))
	}
	attribute(0, "size", trace.ValueUint64)
	attribute(1, "<b>note</b>", trace.ValueString)
	b := src.Location(0, process)
	enter := func(region, size uint64) {
		b.Append(trace.KindEnter, 100, region)
		b.SetAttrs([]trace.Attr{{ID: 0, Type: trace.ValueUint64, Value: size}})
	}
	enter(outer, 1)
	enter(inner, 2)
	enter(inner, 1<<64-1)
	b.Append(trace.KindLeave, 900, inner)
	b.SetAttrs([]trace.Attr{{ID: 1, Type: trace.ValueString, Value: src.String("it is done")}})
	b.Append(trace.KindLeave, 950, inner)
	b.Append(trace.KindLeave, 1000, outer)
	url, _, _ := serving(t, src, serve.Options{})
	page := browse(t, url)
	shown := func(at string) []string {
		page.open(t, url+"/#trace=run&panel=details&at="+at)
		return value[[]string](t, page, `[...document.querySelectorAll("#attributes tbody tr")].map((r) => [...r.children].map((c) => c.textContent).join(" | "))`)
	}
	if got, want := shown("0,500"), []string{"enter | size | 18446744073709551615", "leave | <b>note</b> | it is done"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := shown("0,820"); len(got) != 1 || !strings.HasSuffix(got[0], "| size | 2") {
		t.Errorf("%q", got)
	}
	page.sound(t)
}
