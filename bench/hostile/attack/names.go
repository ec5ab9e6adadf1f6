package attack

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

var nameKinds = []kind{
	{"names in definitions", "terminal escapes, controls, line ends, bidi, NUL, no UTF-8, markup, formulas, very long", 600, oddNames},
}

var oddTexts = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]52;c;ZXZpbA==\x07", "\u009b31m", "a\nb", "a\r\nb", "a\tb", "\x00", "a\x00b", "\x7f", "\b\b\b", "\u202eevil\u202c", "\u2066x\u2069", "\u2028", "\ufeff", "\ufffd",
	"\xff", "\xc3\x28", "\xed\xa0\x80", "\xf4\x90\x80\x80", "<script>alert(1)</script>", "]]>", "&amp;&lt;", `"quoted"`, `a,b;c"d`, "=1+1", "@SUM(A1)", "--help", "*?[a", "'; DROP TABLE calls; --",
	"", " ", "\u200b", "\U0001f600", "e\u0301\u0301\u0301\u0301", strings.Repeat("é", 5000), strings.Repeat("\x1b[1m", 500), "%s%n%d", "${HOME}", "$(id)", "../../etc/passwd",
}

// oddNames writes a trace whose definitions have odd names, and lets them be printed.
func oddNames(a *Attack, d dice, dir string) (*try, error) {
	text := func() string {
		if d.IntN(4) == 0 {
			return pick(d, oddTexts) + pick(d, oddTexts)
		}
		return pick(d, oddTexts)
	}
	t := tracegen.New(trace.Meta{Resolution: 1e9, Properties: []trace.Property{{Name: text(), Value: text()}}})
	process := t.Process(text())
	region := t.Region(text())
	for i := range uint64(2) {
		b := t.Location(i, process)
		b.Append(trace.KindEnter, int64(10*i), region)
		b.Append(trace.KindLeave, int64(10*i+5), region)
	}
	data, err := written(t, 9)
	if err != nil {
		return nil, err
	}
	verbs := split("info IN --regions --locations", "info IN --json --regions --locations", "window IN", "window IN --json", "summary IN", "summary IN --json", "cat IN", "cat IN --json",
		"cat IN --definitions", "cat IN --definitions --json", "find IN --longest 2", "stack IN --at 2 --location 0", "timeline IN --json --pixels 5", "timeline IN -o OUT.svg",
		"timeline IN -o OUT.png", "export IN --format csv -o OUT", "export IN --format json -o OUT", "export IN --format chrome -o OUT.json", "convert IN OUT.pando", "convert IN OUT/t.otf2",
		"diff IN good.pando", "verify IN --deep", "recover IN OUT.pando", "export IN --format parquet -o OUT")
	verb := pick(d, verbs)
	tr := &try{args: line(verb, file), must: answer, input: file}
	if verb[0] == "diff" {
		tr.must = anything
	}
	tr.check = func(o *outcome) string { return sound(o, dir, verb) }
	return tr, errors.Join(put(dir, "good.pando", a.bases.pando[0]), put(dir, file, data))
}

// sound holds what was written against the grammar that it should have. A format that cannot hold a name may refuse it.
func sound(o *outcome, dir string, verb []string) string {
	if o.code != 0 {
		return ""
	}
	line := strings.Join(verb, " ")
	var err error
	switch {
	case strings.Contains(line, "--json"):
		err = allJSON(strings.NewReader(o.stdout))
	case strings.Contains(line, "OUT.svg"):
		err = inFile(filepath.Join(dir, "out.svg"), allXML)
	case strings.Contains(line, "OUT.json"):
		err = inFile(filepath.Join(dir, "out.json"), allJSON)
	case strings.Contains(line, "csv"):
		err = inFolder(filepath.Join(dir, "out"), "*.csv", func(r io.Reader) error { _, err := csv.NewReader(r).ReadAll(); return err })
	case strings.Contains(line, "--format json -o"):
		err = inFolder(filepath.Join(dir, "out"), "*.json*", allJSON)
	}
	if err != nil {
		return "what is written is not well-formed: " + err.Error()
	}
	return ""
}

func inFile(path string, check func(io.Reader) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return check(bytes.NewReader(data))
}

func inFolder(dir, pattern string, check func(io.Reader) error) error {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("no %s", pattern)
	}
	for _, path := range paths {
		err = errors.Join(err, inFile(path, check))
	}
	return err
}

func allJSON(r io.Reader) error {
	return toEnd(json.NewDecoder(r), func(d *json.Decoder) error { var v json.RawMessage; return d.Decode(&v) })
}

func allXML(r io.Reader) error {
	return toEnd(xml.NewDecoder(r), func(d *xml.Decoder) error { _, err := d.Token(); return err })
}

func toEnd[D any](d D, next func(D) error) error {
	for {
		if err := next(d); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
