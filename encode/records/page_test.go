package records

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// pagesOf makes pages of definitions.
func pagesOf(defs []trace.Record, kinds *trace.Table) (pages []Page) {
	before := uint64(0)
	for part := range slices.Chunk(defs, PageRecords) {
		var log Log
		for i := range part {
			log.Add(kinds.Spec(part[i].Kind), &part[i])
		}
		pages = append(pages, log.Pages(before)...)
		before += uint64(log.Len())
	}
	return pages
}

// comeBack checks that pages have the definitions, in their order, and say what they have.
func comeBack(t rapid.TB, want []trace.Record, pages []Page, kinds *trace.Table) {
	t.Helper()
	var a Assembly
	for _, p := range pages {
		d, err := ReadPage(p.Bytes, kinds)
		if err == nil {
			err = a.Add(d)
		}
		if err != nil || !p.Equal(&d.Contents) {
			t.Fatalf("a page of %+v: %v", p.Contents, err)
		}
	}
	got, err := a.Log()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d of %d definitions, %v", len(got), len(want), err)
	}
	for i := range want {
		if a, b := model.DefinitionOf(&want[i], kinds), model.DefinitionOf(&got[i], kinds); !reflect.DeepEqual(a, b) {
			t.Fatalf("definition %d is %+v, want %+v", i, b, a)
		}
	}
}

func TestDefinitionsComeBack(t *testing.T) {
	for seed := range uint64(20) {
		src := auxiliaryTrace(seed)
		want := definitionsOf(t, src)
		comeBack(t, want, pagesOf(want, src.Meta().Table()), src.Meta().Table())
	}
}

// Kinds with many definitions have pages of their own, whatever stands between them in the log.
func TestDefinitionsOfManyKinds(t *testing.T) {
	var want []trace.Record
	for i := range uint64(PageRecords + 5000) {
		text := fmt.Sprintf("name %d of many", i*i%977)
		want = append(want, trace.Record{Kind: trace.KindString, Words: []uint64{i, uint64(len(text))}, Text: []byte(text)})
		if i%3 == 0 {
			want = append(want, trace.Record{Kind: trace.KindCallingContext, Words: []uint64{7 * i, i % 100, trace.Undefined, i / 2}})
		}
		if i%1000 == 0 {
			want = append(want, trace.Record{Kind: trace.KindMetricClass, Words: append([]uint64{i, i / 1000, 0, 1}, make([]uint64, 0)...)})
		}
	}
	for i := range want { // the members of metric classes stand behind their number
		if r := &want[i]; r.Kind == trace.KindMetricClass {
			members := slices.Repeat([]uint64{r.Words[0]}, int(r.Words[1]))
			r.Words = slices.Concat(r.Words[:2], members, make([]uint64, len(trace.Standard.Spec(r.Kind).Fields)-3))
		}
	}
	pages := pagesOf(want, trace.Standard)
	comeBack(t, want, pages, trace.Standard)
	if len(pages) < 4 || len(pages[1].Kinds) != 1 || len(pages[0].Kinds) < 1 {
		t.Errorf("%d pages", len(pages))
	}
	var part Part
	for _, p := range slices.Backward(pages) {
		d, err := ReadPage(p.Bytes, trace.Standard)
		if err != nil {
			t.Fatal(err)
		}
		part.Add(d, func(k trace.Kind) bool { return k == trace.KindCallingContext })
	}
	contexts := slices.DeleteFunc(slices.Clone(want), func(r trace.Record) bool { return r.Kind != trace.KindCallingContext })
	if got := part.Log(); !reflect.DeepEqual(withoutText(got), contexts) {
		t.Errorf("%d calling contexts in another order, want %d", len(got), len(contexts))
	}
}

func withoutText(log []trace.Record) []trace.Record {
	for i := range log {
		log[i].Text = nil
	}
	return log
}

func TestColumnsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Just(trace.Undefined))
		text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 600, -1))
		var want []trace.Record
		for range rapid.IntRange(1, 50).Draw(t, "records") {
			if rapid.Bool().Draw(t, "string") {
				s := text.Draw(t, "text")
				want = append(want, trace.Record{Kind: trace.KindString, Words: []uint64{word.Draw(t, "id"), uint64(len(s))}, Text: []byte(s)})
				continue
			}
			members := rapid.SliceOfN(word, 0, 5).Draw(t, "members")
			head := []uint64{word.Draw(t, "id"), word.Draw(t, "name"), uint64(len(members))}
			want = append(want, trace.Record{Kind: trace.KindGroup, Words: slices.Concat(head, members, []uint64{word.Draw(t, "type"), 0, 1})})
		}
		comeBack(t, want, pagesOf(want, trace.Standard), trace.Standard)
	})
}

func TestDefinitionsRefuse(t *testing.T) {
	str, region := uint64(trace.KindString), uint64(trace.KindRegion-trace.KindString)
	good := append(encodetest.Uvarints(2, 0, 1, 1, str, 0, 1, 1, 10, 2, 0, 1, 3, 2), "abcde"...)
	d, err := ReadPage(good, trace.Standard)
	if err != nil || d.Records[1].TextOf(d.Records[1].Words[1]) != "ade" || d.First != 5 || d.Last != 6 {
		t.Fatalf("the model of all others: %+v, %v", d, err)
	}
	for name, b := range map[string][]byte{
		"no records":                encodetest.Uvarints(0, 0),
		"too many records":          append(encodetest.Uvarints(PageRecords+1, 0, PageRecords, 1, str, 0, PageRecords), make([]byte, 1<<18)...),
		"a run of too many":         encodetest.Uvarints(2, 0, 2, 1, str, 0, 1, 0, 1, 2),
		"places far behind":         encodetest.Uvarints(1, 1<<63, 0, 1, str, 0, 0, 0, 1, 0, 0),
		"runs of places that go on": encodetest.Uvarints(2, 0, 0, 0, 0, 1, str, 0, 1, 0, 1, 2, 0, 0, 0, 0),
		"an unknown kind":           encodetest.Uvarints(1, 0, 0, 1, 0x7777, 0, 0, 0, 1),
		"a kind over 16 bits":       encodetest.Uvarints(1, 0, 0, 1, 1<<16, 0, 0, 0, 1),
		"a kind twice":              encodetest.Uvarints(2, 0, 1, 2, str, 0, 0, 0, 1, 0, 0, 1, 0, 0),
		"a kind without records":    encodetest.Uvarints(1, 0, 0, 2, str, region, 0, 0, 0, 1, 0, 0),
		"a run of no kind":          encodetest.Uvarints(2, 0, 1, 1, str, 1, 1, 0, 1, 2, 0, 0, 0, 0),
		"runs of one kind":          encodetest.Uvarints(2, 0, 1, 1, str, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0),
		"an unknown form":           bytes.Replace(good, []byte{1, 10, 2}, []byte{3, 10, 2}, 1),
		"more shared than there is": bytes.Replace(good, []byte{0, 1, 3, 2, 'a'}, []byte{0, 4, 3, 2, 'a'}, 1),
		"text that is cut off":      good[:len(good)-1],
		"bytes behind":              append(bytes.Clone(good), 0),
		"more members than bytes":   encodetest.Uvarints(1, 0, 0, 1, uint64(trace.KindGroup), 0, 0, 0, 1, 0, 1, 0, 1<<40),
	} {
		_, err := ReadPage(b, trace.Standard)
		if corrupt, ok := err.(*format.CorruptError); !ok || corrupt.Section != definitionSection {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Texts that share nearly all, and kinds without fields, fill their pages up.
func TestPagesAreFilled(t *testing.T) {
	text := strings.Repeat("x", 255)
	var want []trace.Record
	for i := range uint64(1000) {
		want = append(want, trace.Record{Kind: trace.KindString, Words: []uint64{i, uint64(len(text))}, Text: []byte(text)})
	}
	p := pagesOf(want, trace.Standard)[0]
	comeBack(t, want, []Page{p}, trace.Standard)
	if len(p.Bytes) != len(want)+255*1000/(format.Density*format.NameBytes)+1 {
		t.Errorf("%d bytes for texts of 255000", len(p.Bytes))
	}
	for _, b := range [][]byte{p.Bytes[:len(p.Bytes)-1], append(bytes.Clone(p.Bytes), 0), append(bytes.Clone(p.Bytes[:len(p.Bytes)-1]), 1)} {
		if _, err := ReadPage(b, trace.Standard); !format.IsCorrupt(err) {
			t.Errorf("%d bytes are taken for %d: %v", len(b), len(p.Bytes), err)
		}
	}
	bare := &trace.Table{}
	if err := bare.Add(&trace.Spec{ID: trace.FirstPrivateKind, Name: "Bare"}); err != nil {
		t.Fatal(err)
	}
	want = slices.Repeat([]trace.Record{{Kind: trace.FirstPrivateKind}}, 900)
	pages := pagesOf(want, bare)
	comeBack(t, want, pages, bare)
	if len(pages[0].Bytes) != len(want) {
		t.Errorf("%d bytes for %d records", len(pages[0].Bytes), len(want))
	}
}

func TestAssemblyRefuses(t *testing.T) {
	page := func(first uint64, n int) *Definitions {
		return &Definitions{Places: []Place{{first, uint64(n)}}, Records: slices.Repeat([]trace.Record{{Kind: trace.KindString}}, n)}
	}
	for name, pages := range map[string][]*Definitions{
		"a gap at the begin": {page(1, 2)},
		"a gap":              {page(0, 2), page(3, 1)},
		"a page twice":       {page(0, 2), page(0, 2)},
		"pages that overlap": {page(0, 2), page(4, 2), page(3, 2), page(2, 1)},
	} {
		var a Assembly
		var err error
		for _, p := range pages {
			if err == nil {
				err = a.Add(p)
			}
		}
		if err == nil {
			_, err = a.Log()
		}
		if !format.IsCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
		var places []Place
		for _, p := range pages {
			places = append(places, p.Places...)
		}
		if err := CheckPlaces(places); !format.IsCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckPlaces([]Place{{3, 2}, {0, 1}, {1, 2}}); err != nil {
		t.Error(err)
	}
}

// The page is the example of the specification.
func TestExampleOfAPage(t *testing.T) {
	var log Log
	for i, name := range []string{"main", "MPI_Send", "MPI_Recv"} {
		log.Add(trace.Standard.Spec(trace.KindString), &trace.Record{Kind: trace.KindString, Words: []uint64{4 + uint64(i), uint64(len(name))}, Text: []byte(name)})
	}
	const want = "03 0002 018a02 0002 01080202 000004 040804 6d61696e4d50495f53656e6452656376"
	if got := fmt.Sprintf("%x", log.Pages(0)[0].Bytes); got != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%s, want %s", got, want)
	}
}
