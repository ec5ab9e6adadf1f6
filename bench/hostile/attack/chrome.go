package attack

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
)

var chromeKinds = []kind{
	{"Chrome", "nesting, numbers, escapes, UTF-8, keys, phases and ids as they should not be", 500, oddJSON},
	{"Chrome", "gzip that unpacks to much more", 12, bombJSON},
}

// oddValues stand in the place of any value of an event.
var oddValues = []string{
	`null`, `true`, `{}`, `[]`, `""`, `-0`, `1e400`, `-1e400`, `1e-400`, `1E+308`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`,
	`18446744073709551616`, `0.1e1`, `00`, `01`, `+1`, `.5`, `1.`, `0x10`, `NaN`, `Infinity`, `-Infinity`, `1e`, `1e99999999999999999999`, `--1`,
	`"\ud800"`, `"\udc00\ud800"`, `"\u0000"`, `"\u001b[31m"`, `"\x"`, `"\u12"`, "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "\"\xf4\x90\x80\x80\"", "\"\u202e\u2066\"", "\"a\nb\"",
	`"1"`, `"0x7fffffffffffffff"`, `"-1"`, `"99999999999999999999"`, `{"a":{"a":{"a":1}}}`, `[[[[1]]]]`, `"unfinished`,
}

func oddJSON(a *Attack, d dice, dir string) (*try, error) {
	return &try{args: line(pick(d, converting[:6]), "t.json")}, put(dir, "t.json", d.json())
}

func (d dice) json() []byte {
	var b strings.Builder
	switch d.IntN(8) {
	case 0: // deep
		open, shut := "[", "]"
		if d.IntN(2) == 0 {
			open, shut = `{"a":`, "}"
		}
		n := pick(d, []int{100, 9_999, 10_001, 1_000_000})
		fmt.Fprintf(&b, `{"traceEvents":[{"ph":"B","ts":1,"pid":1,"tid":1,"name":"f","args":{"x":%s1%s}}]}`, strings.Repeat(open, n), strings.Repeat(shut, n*d.IntN(2)))
	case 1: // long
		fmt.Fprintf(&b, `[{"ph":"B","ts":1,"pid":1,"tid":1,"name":%q}]`, strings.Repeat("x", pick(d, []int{1 << 10, 1 << 16, 1 << 20, 8 << 20})))
	case 2: // a number of many digits
		fmt.Fprintf(&b, `[{"ph":"B","ts":%s,"pid":1,"tid":1,"name":"f"}]`, strings.Repeat("7", pick(d, []int{19, 400, 1 << 16, 4 << 20}))+pick(d, []string{"", ".5", "e-9", "e9"}))
	default:
		b.WriteString(pick(d, []string{`[`, `{"traceEvents":[`, `{"a":[],"traceEvents":[`, "\xef\xbb\xbf[", " [", `[null,`, `{"traceEvents":[],"traceEvents":[`}))
		for i := range 1 + d.IntN(20) {
			if i > 0 {
				b.WriteString(pick(d, []string{",", ",", ",", ",\n", "\n", ",,"}))
			}
			b.WriteString(d.event(i))
		}
		b.WriteString(pick(d, []string{`]`, `]}`, ``, `,]`, `]}garbage`, `],"otherData":{"a":1}}`}))
	}
	return []byte(b.String())
}

func (d dice) event(i int) string {
	phase := pick(d, []string{"B", "E", "X", "b", "e", "n", "s", "t", "f", "C", "i", "I", "P", "N", "O", "D", "M", "v", "V", "R", "c", "(", ")", "S", "T", "F", "", "BB", "\x00"})
	fields := map[string]string{"ph": fmt.Sprintf("%q", phase), "ts": fmt.Sprint(i * 10), "pid": "1", "tid": fmt.Sprint(d.IntN(3)), "name": `"f"`, "cat": `"c"`,
		"dur": fmt.Sprint(d.IntN(100)), "id": fmt.Sprint(d.IntN(3)), "args": `{"x":1}`}
	if phase == "M" {
		fields["name"] = pick(d, []string{`"process_name"`, `"thread_name"`, `"thread_sort_index"`, `"process_labels"`})
	}
	names := []string{"ph", "ts", "pid", "tid", "name", "cat", "dur", "id", "args"}
	for range d.IntN(3) {
		fields[pick(d, names)] = pick(d, oddValues)
	}
	var b strings.Builder
	b.WriteString("{")
	for k, name := range names {
		if d.IntN(12) == 0 {
			continue
		}
		if k > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:%s", name, fields[name])
	}
	return b.String() + "}"
}

func bombJSON(a *Attack, d dice, dir string) (*try, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	head := pick(d, []string{"[", `[{"ph":"B","ts":1,"pid":1,"tid":1,"name":"`, `{"a":"`, ""})
	_, _ = w.Write([]byte(head)) // into memory
	fill := bytes.Repeat([]byte(pick(d, []string{" ", "x", "[", "1", "\x00"})), 1<<20)
	for range pick(d, []int{64, 256, 512}) {
		_, _ = w.Write(fill)
	}
	_ = w.Close()
	return &try{args: line(converting[0], "t.json.gz"), memory: 1 << 30}, put(dir, "t.json.gz", b.Bytes())
}
