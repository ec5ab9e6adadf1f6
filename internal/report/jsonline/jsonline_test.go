package jsonline

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"pgregory.net/rapid"
)

// TestEach holds the members of an object against those that encoding/json finds.
func TestEach(t *testing.T) {
	values := rapid.OneOf(rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
		rapid.SliceOfN(rapid.String(), 0, 3).AsAny(), rapid.MapOfN(rapid.StringMatching(`[a-z",:{}\\]*`), rapid.SliceOfN(rapid.Int(), 0, 2), 0, 3).AsAny())
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.StringMatching(`[a-z_]+`), values).Draw(t, "object")
		line, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var whole map[string]json.RawMessage
		if err := json.Unmarshal(line, &whole); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		Each(append(line, '\n'), func(name, value []byte) { got[string(name)] = string(value) })
		if len(got) != len(whole) || len(Names(line)) != len(whole) {
			t.Fatalf("%s: %q", line, got)
		}
		for name, value := range whole {
			if got[name] != string(value) {
				t.Errorf("%s: %s is %s, want %s", line, name, got[name], value)
			}
			if text, ok := object[name].(string); ok && Plain(value) != strings.ToValidUTF8(text, "\ufffd") {
				t.Errorf("%s is %q, want %q", value, Plain(value), text)
			}
		}
	})
}

// TestAppendCSV holds fields against a reader of CSV.
func TestAppendCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfN(rapid.StringMatching(`[a ",;\n]*x`), 1, 5).Draw(t, "fields")
		var line []byte
		for i, f := range fields {
			if i > 0 {
				line = append(line, ',')
			}
			line = AppendCSV(line, f)
		}
		got, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != nil || !slices.Equal(got, fields) {
			t.Fatalf("%q: %q, %v", line, got, err)
		}
	})
}

// FuzzEach: text that is no object of ours does not end the program.
func FuzzEach(f *testing.F) {
	for _, seed := range []string{"", "{", "{}", `{"`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"\\`, `{"a":[{]}`, `{"a":}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		Each(line, func(name, value []byte) { Plain(value) })
	})
}
