package outputs

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

var some = []Format{{"text", []string{".txt"}, false}, {"json", []string{".json", ".json.gz"}, false}, {"png", []string{".png"}, true}}

func TestChoose(t *testing.T) {
	for _, tt := range []struct{ path, name, want string }{
		{"", "", "text"}, {"-", "", "text"}, {"-", "png", "png"}, {"a.json", "", "json"}, {"a/b.JSON", "", "json"}, {"a.json.gz", "", "json"}, {"a.png", "png", "png"},
		{"a.png", "PNG", "png"}, {"data", "json", "json"}, {"a.csv", "png", "png"}, {"", "json", "json"},
		{"a.csv", "", "a.csv: a thing is called NAME.txt, NAME.json, NAME.json.gz or NAME.png; tables of a Pando file are written by pando export FILE -o a.csv"},
		{"a.jpg", "", "pictures are NAME.png or NAME.svg"}, {"a.pftrace", "", "Perfetto opens trace events"}, {"a.pando", "", "pando convert FILE a.pando"},
		{"data", "", "data: a thing is called NAME.txt, NAME.json, NAME.json.gz or NAME.png; --format NAME takes any name"}, {".png", "", ".png: a thing is called"},
		{"a.png", "json", "a.png and --format json contradict each other"}, {"", "jsno", `--format jsno: it can be text, json or png; did you mean "json"?`},
	} {
		got, err := Choose("a thing", tt.path, tt.name, some)
		if err == nil && got.Name != tt.want || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q, --format %q: %q, %v, want %q", tt.path, tt.name, got.Name, err, tt.want)
		}
	}
}

// TestAdvice: no ending has two pieces of advice.
func TestAdvice(t *testing.T) {
	var all []string
	for _, o := range others {
		all = append(all, o.endings...)
	}
	if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != len(all) || len(all) < 20 {
		t.Errorf("%q", all)
	}
}

// TestNoTerminal: what is no terminal has the usual width, and takes all formats.
func TestNoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if width, height := Size(file); width != usualWidth || height != 0 || Terminal(file) || CheckShown(file, some[2]) != nil {
		t.Errorf("a file is a terminal of %d by %d", width, height)
	}
	if width, _ := Size(&bytes.Buffer{}); width != usualWidth {
		t.Errorf("a buffer is %d wide", width)
	}
}
