package report

import (
	"iter"
	"slices"
	"strings"
	"testing"
)

// TestTable holds tables against what another library made of them (go-pretty 6.8.3).
func TestTable(t *testing.T) {
	for want, rows := range map[string][][]any{
		"A  B [S]  B\n": nil,
		"A      B [S]       B\n──────────────────────\nx                  1\n日本x  yy\ne\u0301        lead  12345\n": {
			{"x", "", 1}, {"日本x", "yy", ""}, {"e\u0301", "  lead", "12345"},
		},
		"A  B [S]  B\n─────────────\n\n": {{"", "", ""}},
	} {
		table := newTable([]string{"b"}, "a", "b [s]", "b")
		for _, r := range rows {
			table.row(r...)
		}
		var b strings.Builder
		if table.write(&b); b.String() != want {
			t.Errorf("%q:\n%s\nwant\n%s", rows, b.String(), want)
		}
	}
}

// TestTableParts: a line stands before the rows of each part, and none for a part without rows.
func TestTableParts(t *testing.T) {
	for want, parts := range map[string][][]string{
		"N|───|a|b|───|c|": {{"a", "b"}, {"c"}}, "N|───|c|": {nil, {"c"}}, "N|───|a|": {{"a"}, nil}, "N|": {nil},
	} {
		var all []iter.Seq[[]string]
		for _, cells := range parts {
			all = append(all, func(yield func([]string) bool) {
				for c := range slices.Chunk(cells, 1) {
					if !yield(c) {
						return
					}
				}
			})
		}
		var b strings.Builder
		WriteTable(&b, []string{"n"}, []bool{false}, all...)
		if got := strings.ReplaceAll(b.String(), "\n", "|"); got != want {
			t.Errorf("%q: %s, want %s", parts, got, want)
		}
	}
}
