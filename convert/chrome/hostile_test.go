package chrome

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/write"
	"github.com/pandotrace/pando/trace"
)

// hostile is texts of strange files by kind.
type hostile map[string][]string

func (h hostile) add(kind string, texts ...string) { h[kind] = append(h[kind], texts...) }

// TestHostile opens strange files. Each is an error of a class, or a trace from which nothing is missing without a warning and which
// can be written as trace events and read again. Their numbers by kind stand in docs/fidelity.md.
func TestHostile(t *testing.T) {
	h, total := strangeFiles(), 0
	for kind, texts := range h {
		total += len(texts)
		t.Run(fmt.Sprintf("%s, %d", kind, len(texts)), func(t *testing.T) {
			t.Parallel()
			for i, text := range texts {
				tryHostile(t, []byte(text), i%backEach() == 0)
			}
		})
	}
	if total < 300 {
		t.Errorf("only %d files", total)
	}
}

// backEach is of how many files one is written again, which takes longer than to read it.
func backEach() int {
	if os.Getenv("PANDO_SOAK") != "" {
		return 1
	}
	return 10
}

// tryHostile opens a file; one that is an error it opens leniently, too.
func tryHostile(t *testing.T, text []byte, back bool) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%.200q: panic: %v", text, v)
		}
	}()
	a, err := openText(text, Options{})
	if err != nil {
		if !errors.Is(err, trace.ErrCorrupt) && !errors.Is(err, trace.ErrUnsupported) && !errors.Is(err, scan.ErrShort) {
			t.Errorf("%.200q: %v", text, err)
		}
		if a, err = openText(text, Options{Lenient: true}); err != nil {
			return
		}
	}
	events := 0
	for _, line := range listing(t, a) {
		if !strings.HasPrefix(line, "-- ") {
			events++
		}
	}
	if want := eventsIn(text); events < want && len(a.Warnings()) == 0 {
		t.Errorf("%.200q: %d events of %d, and no warning", text, events, want)
	}
	if back {
		tryBack(t, text, a)
	}
}

// tryBack writes a trace as trace events, and reads those.
func tryBack(t *testing.T, text []byte, a *read.Archive) {
	t.Helper()
	r := pandoOf(t, a)
	out := exported(t, r, r.All())
	if !json.Valid(out) {
		t.Errorf("%.200q: written as %.500q", text, out)
	}
	again, err := openText(out, Options{})
	if err != nil {
		t.Fatalf("%.200q: there and back: %v", text, err)
	}
	again.Close()
}

// eventsIn counts the events of a file by another parser: objects with a letter and a time. It returns 0 if it takes the file for none.
func eventsIn(text []byte) (n int) {
	list, err := parsedEvents(text)
	if err != nil {
		return 0
	}
	for _, e := range list {
		phase, _ := e["ph"].(string)
		if _, timed := e["ts"].(float64); timed && len(phase) == 1 && phase != "M" {
			n++
		}
	}
	return n
}

const plainList = `[{"ph":"X","name":"a","cat":"c","ts":1.5,"dur":2,"pid":1,"tid":2,"args":{"n":[1,"\u00e4"]}},{"ph":"B","ts":2,"name":"b"},{"ph":"E","ts":3},{"ph":"C","ts":4,"name":"m","args":{"v":-1e3}},{"ph":"s","ts":5,"id":"0x1"},{"ph":"f","ts":6,"id":"0x1"}]`

// strangeFiles makes the files.
func strangeFiles() hostile {
	h, dice := hostile{}, rand.New(rand.NewPCG(1, 2))
	plainObject := `{"otherData":{"a":[1]},"traceEvents":` + plainList + `,"displayTimeUnit":"ns"}`
	for _, text := range []string{plainList, plainObject} {
		for n := range len(text) {
			h.add("files cut at a byte", text[:n])
			h.add("files with a wrong byte", text[:n]+string([]byte{byte(dice.Uint32())})+text[n+1:])
		}
		for range 60 {
			i, j := dice.IntN(len(text)), dice.IntN(len(text))
			h.add("files with a piece that stands twice or not at all", text[:i]+text[j:])
		}
	}
	strangeFields(h)
	strangeTexts(h)
	strangeOrders(h, dice)
	strangeObjects(h)
	strangeSizes(h)
	return h
}

// strangeFields gives fields values that they should not have, and leaves fields out.
func strangeFields(h hostile) {
	fields := []string{`"ph":"X"`, `"name":"a"`, `"cat":"c"`, `"ts":1`, `"pid":1`, `"tid":2`, `"dur":3`, `"args":{}`}
	for set := range 1 << len(fields) {
		var list []string
		for i, f := range fields {
			if set>>i&1 != 0 {
				list = append(list, f)
			}
		}
		h.add("events without some of their fields", "[{"+strings.Join(list, ",")+"}]")
	}
	values := []string{"null", "true", "[]", "{}", `""`, `"x"`, "-1", "1e400", `{"local":"0x1"}`, `"\u0000"`}
	for _, f := range []string{"ph", "name", "cat", "ts", "dur", "pid", "tid", "id", "id2", "args", "bind_id", "flow_in", "bp", "s", "scope", "sf", "stack", "tts", form.AloneKey} {
		for _, v := range values {
			for _, phase := range "XsC" {
				h.add("fields of another type", fmt.Sprintf(`[{"ph":"%c","ts":1,"name":"a","id":1,"%s":%s}]`, phase, f, v))
			}
		}
	}
	for c := byte(' '); c < 0x7f; c++ {
		h.add("phases", `[{"ph":`+string(write.AppendString(nil, string(rune(c))))+`,"ts":1,"name":"a","id":2,"args":{"value":1}}]`)
	}
	for _, phase := range "stfbneSTpFNOD" {
		for _, id := range []string{`"id":-1`, `"id":1.5`, `"id":"0x"`, `"id":"18446744073709551616"`, `"id2":{"global":"a"}`, `"id2":{"local":{"a":1}}`, `"id":1,"scope":"x"`, `"id":""`, `"id":[1],"id2":2`} {
			h.add("ids", fmt.Sprintf(`[{"ph":"%c","ts":1,"name":"a","cat":"c","pid":1,%s},{"ph":"%[1]c","ts":2,"name":"a","cat":"c","pid":2,%[2]s}]`, phase, id))
		}
	}
	for _, n := range []string{"-0", "-1.5", "+1", "01", "1.", ".5", "1e", "1e+", "1e5", "1E-5", "1e-400", "1e400", "0x10", "NaN", "Infinity", "-Infinity", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e18", "2305843009213693951", "0.0000000000001", "1.123456789123", "--1", "1-1", `"12"`, `"-3.5"`, `"1e3"`, `" 1"`, "1_000", "١", strings.Repeat("9", 400), "0." + strings.Repeat("3", 400)} {
		h.add("numbers", `[{"ph":"X","name":"a","ts":`+n+`}]`, `[{"ph":"X","name":"a","ts":1,"dur":`+n+`}]`, `[{"ph":"C","name":"a","ts":1,"args":{"value":`+n+`}}]`, `[{"ph":"i","name":"a","ts":1,"pid":`+n+`,"tid":`+n+`}]`)
	}
}

// strangeTexts writes strings and whole files in other encodings.
func strangeTexts(h hostile) {
	for _, s := range []string{`\`, `\"`, `\x41`, `\u`, `\u12`, `\ud800`, `\udc00\ud800`, `\ud83d\ude00`, `\u0000`, "\x00", "\n", "\xff", "\xc3", "\xed\xa0\x80", "\u2028", "\ufeff", `\/\b\f\n\r\t`, `a\\`, strings.Repeat(`\\`, 50), `<script>`, `%s%n`, `../../x`, strings.Repeat("x", 5000), "\x7f", "\x1b[31m"} {
		h.add("strings", `[{"ph":"B","ts":1,"name":"`+s+`"}]`, `[{"ph":"i","ts":1,"name":"a","args":{"`+s+`":"`+s+`"}}]`, `[{"ph":"M","name":"process_name","pid":1,"args":{"name":"`+s+`"}},{"ph":"i","ts":1,"pid":1}]`, `{"`+s+`":"`+s+`","traceEvents":[]}`)
	}
	little, big := []byte{0xff, 0xfe}, []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(plainList)) {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	h.add("encodings", string(little), string(big), string(little[2:]), string(big[2:]), "\ufeff"+plainList, "\ufeff\ufeff"+plainList, "\ufeff", "\xef\xbb", plainList+"\x00", "\x00"+plainList,
		strings.ReplaceAll(plainList, ",", ",\x00"), strings.ReplaceAll(plainList, ",", ",\r\n\t "), strings.ReplaceAll(plainList, ",", ",\u00a0"), strings.ToUpper(plainList), "\x1f\x8b", "\x1f\x8b\x08\x00\x00", plainList+plainList, " \n"+plainList+"\n\n ")
}

// strangeOrders puts keys and events in other orders.
func strangeOrders(h hostile, dice *rand.Rand) {
	fields := []string{`"args":{"a":{"b":[[]]}}`, `"ph":"X"`, `"ts":1`, `"dur":2`, `"name":"a"`, `"pid":1`, `"ph":"i"`, `"ts":5`, `"args":null`}
	for range 80 {
		dice.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		h.add("orders of keys, keys that stand twice", "[{"+strings.Join(fields[:3+dice.IntN(7)], ",")+"}]")
	}
	for range 150 {
		var list []string
		for range 1 + dice.IntN(25) {
			list = append(list, fmt.Sprintf(`{"ph":"%c","ts":%d,"dur":%d,"name":"%c","cat":"c","id":%d,"tid":%d,"bind_id":%d,"flow_out":%t,"flow_in":%t}`,
				"XBEsftbeniCNOD"[dice.IntN(14)], dice.IntN(6)-2, dice.IntN(6)-1, 'a'+rune(dice.IntN(3)), dice.IntN(2), dice.IntN(2), dice.IntN(2), dice.IntN(3) == 0, dice.IntN(3) == 0))
		}
		h.add("events that cross, overlap and are never ended", "["+strings.Join(list, ",")+"]")
	}
}

// strangeObjects puts other things where the list of events should be, and around it.
func strangeObjects(h hostile) {
	for _, v := range []string{"null", "true", "1", `"x"`, "{}", "[]", "[[]]", "[null]", "[1,\"a\",{}]", "[{}]", "[{\"ph\":\"X\"}]"} {
		h.add("other members", `{"traceEvents":`+v+`}`, `{"traceEvents":`+v+`,"traceEvents":`+plainList+`}`, `[`+v+`]`, `{"displayTimeUnit":`+v+`,"systemTraceEvents":`+v+`,"stackFrames":`+v+`,"samples":`+v+`,"traceEvents":`+plainList+`}`,
			`{"traceEvents":[{"ph":"M","name":"thread_name","args":`+v+`},{"ph":"M","name":"thread_sort_index","args":{"sort_index":`+v+`}},{"ph":"i","ts":1,"name":"a"}]}`, `{"":`+v+`,"traceEvents":[]}`)
	}
	for _, s := range []string{"", ",,", ";", ":", "//\n", "/* */", "}", "]", "{", "[", "\"", "NaN", "undefined"} {
		h.add("marks between values", strings.ReplaceAll(plainList, "},{", "}"+s+"{"), strings.ReplaceAll(plainList, "},{", "},"+s+"{"), plainList+s, s+plainList, strings.Replace(plainList, ":", s, 1), `{"traceEvents":`+plainList+s+`"a":1}`, `{`+s+`"traceEvents":`+plainList+`}`)
	}
}

// strangeSizes makes things many, long, or deep.
func strangeSizes(h hostile) {
	for _, depth := range []int{10, 500, 510, 511, 512, 513, 5000} {
		for _, pair := range []string{"[]", "{}"} {
			open, between := pair[:1], ""
			if pair == "{}" {
				between = `"a":`
			}
			deep := strings.Repeat(open+between, depth-1) + pair + strings.Repeat(pair[1:], depth-1)
			h.add("depths", deep, `[{"ph":"i","ts":1,"args":`+deep+`}]`, `{"x":`+deep+`,"traceEvents":[]}`, deep[:len(deep)/2], `[{"ph":"i","ts":1,"args":{"a":`+deep[:len(deep)/2])
		}
	}
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const n = 1000
	h.add("many", `[{"ph":"i","ts":1,"name":"a",`+many(20_000, `"k%d":1`)+`}]`, `[{"ph":"i","ts":1,"name":"a","args":{`+many(n, `"k%d":1`)+`}}]`, `[{"ph":"C","ts":1,"name":"a","args":{`+many(n, `"k%d":1`)+`}}]`,
		`[{"ph":"i","ts":1,"name":"a","args":{`+strings.ReplaceAll(many(n, `"k":%d`), "\n", "")+`}}]`, `{`+many(n, `"p%d":1`)+`,"traceEvents":[]}`, `[`+many(n, `{"ph":"M","name":"n%d","pid":1,"args":{"x":1}}`)+`]`,
		`[`+many(n, `{"ph":"B","ts":1,"name":"a%d"}`)+`,`+many(n, `{"ph":"E","ts":1,"name":"a%d"}`)+`]`, `[`+many(n, `{"ph":"X","ts":0,"dur":%d}`)+`,`+many(n, `{"ph":"B","ts":1,"name":"a%d"}`)+`]`,
		`[`+many(n, `{"ph":"s","ts":%d,"id":1}`)+`,`+many(n, `{"ph":"f","ts":%d,"id":1}`)+`]`, `[`+strings.Repeat(",", n)+`]`, `[`+strings.Repeat("{},", n)+`]`, `[{"ph":"i","ts":1,"name":"`+strings.Repeat(`\u0041`, 100_000)+`"}]`)
	for _, text := range h["many"][1:] {
		h.add("many", text[:len(text)-1])
	}
}

// TestCrossingWork ends slices around many calls that go on: the others stay where they are on the stack.
func TestCrossingWork(t *testing.T) {
	const n = 1000
	var s read.Stack
	for i := range n {
		s.Push(read.Frame{Region: uint32(i), Slice: true, End: int64(n - i)})
	}
	for i := range 10 * n {
		s.Push(read.Frame{Region: uint32(n + i)})
	}
	for i := range n {
		if region, crossed := s.EndSlice(); region != uint32(n-1-i) || !crossed {
			t.Fatalf("ended %d, %v", region, crossed)
		}
		if len(s.Frames) != 11*n {
			t.Fatalf("the calls moved when slice %d ended", i)
		}
	}
	if _, ok := s.Limit(); ok || s.Find(func(region uint32) bool { return region == n }) != -1 && len(s.Frames) < read.MaxSearch {
		t.Error("a slice is left")
	}
	for i := 10*n - 1; i >= 0; i-- {
		if at := s.Find(func(region uint32) bool { return region == uint32(n+i) }); at != n+i || s.Remove(at) {
			t.Fatalf("call %d is at %d", i, at)
		}
	}
	if len(s.Frames) > 0 || s.Gone != 0 {
		t.Errorf("%d calls are left, %d gone", len(s.Frames), s.Gone)
	}
}
