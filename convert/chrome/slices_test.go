package chrome

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/trace"
)

// plainSlice is a slice of a file, times in nanoseconds.
type plainSlice struct {
	tid        int
	start, end int64
	name       string
}

// TestSlices compares calls and spans with those that a simple rule makes of the same slices: one that ends behind another one
// which it began in is a span.
func TestSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		most := rapid.Int64Range(1, 60).Draw(t, "times")
		list := make([]plainSlice, rapid.IntRange(0, 40).Draw(t, "slices"))
		for i := range list {
			start := dice.Int64N(most) * 250
			list[i] = plainSlice{dice.IntN(3), start, start + dice.Int64N(most)*250, fmt.Sprint("f", dice.IntN(5))}
		}
		got := slicesOf(t, writeSlices(dice, list))
		want := expectedSlices(list)
		if !slices.Equal(got, want) {
			t.Fatalf("%v:\n got %q\nwant %q", list, got, want)
		}
	})
}

// writeSlices writes slices as a program might that nobody told what spaces are good for.
func writeSlices(dice *rand.Rand, list []plainSlice) []byte {
	space := func() string { return strings.Repeat([]string{" ", "\n", "\t"}[dice.IntN(3)], dice.IntN(3)) }
	var b bytes.Buffer
	object := dice.IntN(2) == 0
	if object {
		b.WriteString(`{"other":{"traceEvents":[1,"]"]},` + space() + `"traceEvents":`)
	}
	b.WriteString("[")
	for i, s := range list {
		if i > 0 {
			b.WriteString(space() + "," + space())
		}
		fields := []string{
			`"ph":"X"`, fmt.Sprintf(`"tid":%d`, s.tid), `"pid"` + space() + ":1", fmt.Sprintf(`"ts":%g`, float64(s.start)/1000),
			fmt.Sprintf(`"dur"%s:%d.%03d0`, space(), (s.end-s.start)/1000, (s.end-s.start)%1000), `"name":"` + s.name + `"`,
		}
		dice.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		b.WriteString("{" + strings.Join(fields, space()+","+space()) + "}")
	}
	if object || dice.IntN(2) == 0 {
		b.WriteString("]")
	}
	if object {
		b.WriteString(`,"displayTimeUnit":"ms"}`)
	}
	if dice.IntN(4) > 0 {
		return b.Bytes()
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(b.Bytes())
	z.Close()
	return packed.Bytes()
}

func expectedSlices(list []plainSlice) (want []string) {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b plainSlice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var calls []plainSlice
	for _, s := range sorted {
		crosses := slices.ContainsFunc(calls, func(c plainSlice) bool {
			return c.tid == s.tid && c.start <= s.start && s.start < c.end && c.end < s.end
		})
		if !crosses {
			calls = append(calls, s)
		}
		want = append(want, fmt.Sprintf("%d: %s %d to %d, span %v", s.tid, s.name, s.start, s.end, crosses))
	}
	slices.Sort(want)
	return want
}

// slicesOf reads calls and spans back; begins and ends must nest.
func slicesOf(t *rapid.T, text []byte) (got []string) {
	a, err := openText(text, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer a.Close()
	log, _ := a.Definitions(0)
	defs := trace.NewDefinitions(log)
	for i, info := range a.Streams() {
		tid := a.Locations.List[a.Locations.Order[i]].Tid.Value
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var stack []plainSlice
		spans := map[uint64]int64{}
		var b trace.Batch
		for s.Next(&b, 3) == nil {
			for i, k := range b.Kinds {
				w, now := b.Fields(i), b.Times[i]
				name := defs.Name(trace.SpaceRegion, w[0])
				switch k {
				case trace.KindEnter:
					stack = append(stack, plainSlice{start: now, name: name})
				case trace.KindLeave:
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					got = append(got, fmt.Sprintf("%d: %s %d to %d, span false", tid, top.name, top.start, now))
					if top.name != name {
						t.Fatalf("leave of %s in %s", name, top.name)
					}
				case trace.KindSpanBegin:
					spans[w[1]] = now
				case trace.KindSpanEnd:
					got = append(got, fmt.Sprintf("%d: %s %d to %d, span true", tid, name, spans[w[1]], now))
				}
			}
		}
		if len(stack) > 0 {
			t.Fatalf("calls without an end: %v", stack)
		}
	}
	slices.Sort(got)
	return got
}

// TestOtherParser counts what the JSON parser of the standard library finds in real files: of Node and of Clang.
func TestOtherParser(t *testing.T) {
	for _, path := range []string{"testdata/node.json", "testdata/clang.json.gz"} {
		a, err := read.Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{}
		for _, e := range parsed(t, path).TraceEvents {
			ns := func(us float64) int64 { return int64(us*1000 + 0.5) }
			switch e.Ph {
			case "X":
				want[fmt.Sprint(ns(e.Ts), " Enter ", e.Name)]++
				want[fmt.Sprint(ns(e.Ts+e.Dur), " Leave ", e.Name)]++
			case "B", "E", "b", "e":
				kind := map[string]string{"B": " Enter ", "E": " Leave ", "b": " SpanBegin ", "e": " SpanEnd "}[e.Ph]
				want[fmt.Sprint(ns(e.Ts), kind, e.Name)]++
			case "I":
				want[fmt.Sprint(ns(e.Ts), " SoloEvent ", e.Name)]++
			}
		}
		for _, line := range listing(t, a) {
			var at int64
			var kind, name string
			if n, _ := fmt.Sscanf(line, "%d %s %q", &at, &kind, &name); n == 3 {
				name, _, _ = strings.Cut(name, " [")
				want[fmt.Sprint(at, " ", kind, " ", name)]--
			}
		}
		for what, n := range want {
			if n != 0 {
				t.Errorf("%s: %d more of %s", path, n, what)
			}
		}
		if w := a.Warnings(); len(w) > 0 || len(want) < 40 {
			t.Errorf("%s: %v, %d events", path, w, len(want))
		}
		a.Close()
	}
}

type parsedFile struct {
	TraceEvents []struct {
		Ph, Name string
		Ts, Dur  float64
	}
}

func parsed(t *testing.T, path string) (f parsedFile) {
	t.Helper()
	if err := json.Unmarshal(plainText(t, path), &f); err != nil {
		t.Fatal(err)
	}
	return f
}
