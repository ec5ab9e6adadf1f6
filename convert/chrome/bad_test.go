package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	}
	for _, tt := range tests {
		a, err := openText([]byte(tt.text), Options{})
		if err == nil {
			t.Errorf("%.40s: no error", tt.text)
			a.Close()
		} else if !strings.Contains(err.Error(), tt.want) || !errors.Is(err, trace.ErrCorrupt) {
			t.Errorf("%.40s: %v, want %s", tt.text, err, tt.want)
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

// TestTooDeep reads a thread with more calls open at once than are followed.
func TestTooDeep(t *testing.T) {
	a, err := openText([]byte(`[{"ph":"B","ts":1,"name":"a"}]`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.stream(0)
	if err != nil {
		t.Fatal(err)
	}
	for s.stack.push(frame{}) {
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
		if _, err := Open(path, Options{TempDir: dir}); !errors.Is(err, trace.ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestDetect tells trace events from other files.
func TestDetect(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{`{"traceEvents":[]}`, true}, {" [ {\"pid\":1, \"ph\":\"X\"", true}, {`[{"name":"a","cat":"b","args":{"long`, true},
		{`{ "schemaVersion": 1, "deviceProperties": [`, true}, {"\ufeff[{\"ph\":\"X\"}]", true},
		{`{"name":"x"}`, false}, {`[1,2]`, false}, {`[{"id":1}]`, false}, {"", false}, {"OTF2", false}, {"{", false}, {"\x1f\x8b\x08", false},
	}
	for _, tt := range tests {
		if got := Detect([]byte(tt.text)); got != tt.want {
			t.Errorf("%.40q: %v", tt.text, got)
		}
	}
	packed, err := os.ReadFile("testdata/clang.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	if !Detect(packed[:512]) {
		t.Error("a compressed file is not known")
	}
}
