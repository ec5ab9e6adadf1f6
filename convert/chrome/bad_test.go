package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/trace"
)

// TestBadFiles opens files that are no traces. The error says where.
func TestBadFiles(t *testing.T) {
	deep := strings.Repeat("[", 1000)
	tests := []struct{ text, want string }{
		{"hello", "line 1, byte 0: neither a list of events nor an object"},
		{`{"a":1}`, "line 1, byte 7: the object has no traceEvents"},
		{"[\n{\"ph\":\"X\"\n \"ts\":1}]", "line 3, byte 13: no } where one must be"},
		{"[{\"ph\":\"X\",\n\"ts\":}]", "line 2, byte 17: no JSON value"},
		{`[{"ph":"X","ts":1`, "line 1, byte 1: the file ends within a value"},
		{`{"traceEvents":[{"ph":"X"}`, "line 1, byte 26: the file ends within a value"},
		{`{"traceEvents":[]`, "the file ends within a value"},
		{`[{"args":` + deep + `}]`, "values lie too deep in each other"},
		{`[{"args":{]}]`, "no JSON value"},
		{`[{1:2}]`, "no JSON string"},
		{`{"a":1 "b":2}`, `'"' where , or } must be`},
		{"[{\"ph\":\"i\",\"ts\":1},\x00{\"ph\":\"i\",\"ts\":2}]", "line 1, byte 19: no JSON value"},
		{"{\"traceEvents\":[\x00]}", "line 1, byte 16: no JSON value"},
		{"[\"sd:\"\x00", "line 1, byte 6: no JSON value"},
		{"{\"traceEvents\":[]\x00}", `'\x00' where , or } must be`},
	}
	for _, tt := range tests {
		a, err := openText([]byte(tt.text), Options{})
		if err == nil {
			t.Errorf("%.40s: no error", tt.text)
			a.Close()
		} else if !strings.Contains(err.Error(), tt.want) || !errors.Is(err, trace.ErrCorrupt) {
			t.Errorf("%.40s: %v, want %s", tt.text, err, tt.want)
		}
		if _, err := openPieces([]byte(tt.text), Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40s, in pieces: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestLenient reads what there is of a file that ends too early.
func TestLenient(t *testing.T) {
	for _, text := range []string{
		`[{"ph":"i","ts":1,"name":"a"},{"ph":"i","ts":`, `{"traceEvents":[{"ph":"i","ts":1,"name":"a"},`,
		`{"traceEvents":[{"ph":"i","ts":1,"name":"a"}],"other`,
	} {
		if _, err := openText([]byte(text), Options{}); err == nil {
			t.Errorf("%s: no error", text)
		}
		a, err := openText([]byte(text), Options{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		if list, w := listing(t, a), a.Warnings(); len(list) != 2 || len(w) != 1 || w[0].Kind != "unfinished file" {
			t.Errorf("%s: %q, %v", text, list, w)
		}
	}
}

// TestCut reads files that end behind a whole event. A list may lack its end, which is a warning; an object is an error that
// names the option to read it nevertheless.
func TestCut(t *testing.T) {
	const one, two = `{"ph":"i","ts":1,"name":"a"}`, `{"ph":"i","ts":1,"name":"a"},` + "\n" + `{"ph":"i","ts":2,"name":"b"}`
	for _, list := range []string{"", one, two, one + ",", one + ",\n{}", two + " \n\t", two + ",\r\n"} {
		events := strings.Count(list, "ph")
		for _, data := range [][]byte{[]byte("[" + list), packed(t, "["+list), []byte("\ufeff [" + list)} {
			a, err := openText(data, Options{})
			if err != nil {
				t.Fatalf("%q: %v", data, err)
			}
			if w := a.Warnings(); len(w) != 1 || w[0].Kind != "unfinished file" || !strings.Contains(w[0].Example, "line "+fmt.Sprint(1+strings.Count(list, "\n"))) {
				t.Errorf("%q: %v", list, w)
			}
			if p := a.Meta().Properties; len(p) != 1 || p[0].Name != "unfinished" || p[0].Value != a.Warnings()[0].Example {
				t.Errorf("%q: %v", list, p)
			}
			if got := listing(t, a); len(got) != events+min(events, 1) {
				t.Errorf("%q: %q", list, got)
			}
		}
		whole, err := openText([]byte("["+list+"]"), Options{})
		if err != nil || len(whole.Warnings()) > 0 {
			t.Errorf("%q with its end: %v, %v", list, whole.Warnings(), err)
		}
		if _, err := openText([]byte(`{"traceEvents":[`+list), Options{}); !errors.Is(err, trace.ErrCorrupt) || !strings.Contains(err.Error(), "--lenient") {
			t.Errorf("an object with %q: %v", list, err)
		}
		if a, err := openText([]byte(`{"traceEvents":[`+list), Options{Lenient: true}); err != nil || len(a.Warnings()) != 1 {
			t.Errorf("an object with %q, leniently: %v", list, err)
		}
	}
}

// TestCutAnywhere cuts files at each byte: whatever is missing is an error, or a warning of the list that has no end.
func TestCutAnywhere(t *testing.T) {
	for _, text := range []string{
		`[ {"ph":"X","ts":1.5,"dur":2,"args":{"a":[1,"]"]}} ,{"ph":"B","ts":1e1,"name":"\u00e4"}, {"ph":"E","ts":12}]`,
		`{"a":{"b":[]},"traceEvents":[{"ph":"X","ts":1.5,"dur":2},{"ph":"i","ts":3}],"otherData":{"c":"d"}}`,
	} {
		for n := 1; n < len(text); n++ {
			a, err := openText([]byte(text[:n]), Options{})
			if err == nil && (len(a.Warnings()) != 1 || a.Warnings()[0].Kind != "unfinished file") {
				t.Errorf("%s: %v", text[:n], a.Warnings())
			}
			if err != nil && !errors.Is(err, trace.ErrCorrupt) {
				t.Errorf("%s: %v", text[:n], err)
			}
			if a, err := openText([]byte(text[:n]), Options{Lenient: true}); err == nil && len(a.Warnings()) == 0 {
				t.Errorf("%s: nothing is said", text[:n])
			} else if err != nil && n > len(`{"a":{"b":[]},"traceEvents":[`) {
				t.Errorf("%s, leniently: %v", text[:n], err)
			}
		}
	}
}

// TestCutCompressed cuts a compressed file at each byte. It is an error that names the option that reads what is there.
func TestCutCompressed(t *testing.T) {
	whole, told := packed(t, plainList+strings.Repeat(" \n", 100)), 0
	for n := 20; n < len(whole); n++ {
		_, err := openText(whole[:n], Options{})
		if !errors.Is(err, trace.ErrCorrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
		a, lenient := openText(whole[:n], Options{Lenient: true})
		if lenient != nil {
			continue // not a letter of it is there
		}
		if told++; len(a.Warnings()) == 0 || a.Warnings()[0].Count != 1 || a.Warnings()[0].Kind != "unfinished file" || !strings.Contains(err.Error(), "--lenient") {
			t.Errorf("%d bytes: %v, %v", n, a.Warnings(), err)
		}
	}
	if told < len(whole)/2 {
		t.Errorf("only %d of %d are read", told, len(whole))
	}
}

// TestTooDeep reads a thread with more calls open at once than are followed.
func TestTooDeep(t *testing.T) {
	a, err := openText([]byte(`[{"ph":"B","ts":1,"name":"a"}]`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := a.Stream(0)
	s.Work = a.Working.Begin(0)
	a.Sorted.Seek(&s.Cursor, 0)
	for s.Stack.Push(read.Frame{}) {
	}
	var b trace.Batch
	err = s.Next(&b, 10)
	if again := s.Next(&b, 10); !errors.Is(err, trace.ErrUnsupported) || !strings.Contains(err.Error(), "text.json") || again != err {
		t.Errorf("%v, then %v", err, again)
	}
}

// TestFiles opens files that are not there, empty, or damaged where they are compressed.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	packed, err := os.ReadFile("testdata/clang.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), packed...)
	damaged[len(damaged)/2] ^= 0xff
	for name, data := range map[string][]byte{"empty": nil, "cut": packed[:len(packed)/2], "damaged": damaged} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := read.Open(t.Context(), path, Options{TempDir: dir}); !errors.Is(err, trace.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read.Open(t.Context(), filepath.Join(dir, "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}

// packed returns a text compressed.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDetect tells trace events from other files.
func TestDetect(t *testing.T) {
	long := strings.Repeat(`"x",`, 200)
	tests := []struct {
		text string
		want bool
	}{
		{`{"traceEvents":[]}`, true}, {" [ {\"pid\":1, \"ph\":\"X\"", true}, {`[{"name":"a","cat":"b","args":{"long`, true},
		{`{ "schemaVersion": 1, "deviceProperties": [`, true}, {"\ufeff[{\"ph\":\"X\"}]", true},
		{"[{\"args\":{\"stack\":[" + long, true}, {"\n[\r\n\t{\"args\" :\n{\"a\":{\"b\":[[" + long, true}, {`[{"ts":1,"args":{"a":` + long, true},
		{`[{"args":[[1],[2]],"ph":"X"}]`, true}, {`[{"args":{"a":1},"name":"f","ts":1}]`, true}, {`[{}, {"ph":"X"}]`, true},
		{`[{"frames":{"1":[]},"ph":"P"}]`, true}, {"\ufeff[{\"args\":{" + long, true}, {`[{"args":{},"args2":{}}]`, false},
		{`{"otherData":{"a":[` + long, true}, {`{"metadata":{"a":"traceEvents` + long, true}, {`{"mine":{"a":{}},"displayTimeUnit":"ms"`, true},
		{`{"metadata":{},"traceEvents":[]}`, true}, {"[{\"arguments\":{" + long, false}, {`[{"args":1,"mine":{"a":` + long, false},
		{`{"name":"x"}`, false}, {`[1,2]`, false}, {`[{},{}]`, false}, {`[{`, false}, {`[{"args"`, false}, {`[]`, false}, {`[{"id":1}]`, false}, {"", false}, {"OTF2", false}, {"{", false}, {"\x1f\x8b\x08", false},
	}
	for _, tt := range tests {
		prefix := []byte(tt.text)
		prefix = prefix[:min(len(prefix), 512)]
		if got := Detect(prefix); got != tt.want {
			t.Errorf("%.40q: %v", tt.text, got)
		}
		if got := Detect(packed(t, tt.text)); got != tt.want {
			t.Errorf("%.40q, compressed: %v", tt.text, got)
		}
	}
	clang, err := os.ReadFile("testdata/clang.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	if !Detect(clang[:512]) {
		t.Error("a compressed file is not known")
	}
}
