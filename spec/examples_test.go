package spec

import (
	"fmt"
	"strings"
	"testing"
)

// examples is the text of v1/examples.md while it is made. Each example is computed by the plain functions of these tests, which read files.
type examples struct {
	strings.Builder
	t *testing.T
}

func (x *examples) head(section, title string) {
	fmt.Fprintf(x, "\n## %s (section %s)\n\n", title, section)
}

func (x *examples) text(format string, args ...any) { fmt.Fprintf(x, format+"\n", args...) }

func (x *examples) code(lines ...string) {
	x.text("```\n%s\n```", strings.Join(lines, "\n"))
}

// same fails unless what an example says is what another way gives.
func (x *examples) same(what string, got, want any) {
	x.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

const examplesHead = `# Worked examples of version 1

What the coders of [format.md](format.md) make of some numbers, step by step. This text is made by ` + "`go test ./spec -rewrite`" + `, which computes each
example, and reads its bytes by a decoder that was written from the text alone. Bytes are in hexadecimal digits.
`

// TestExamples holds the text against what is computed.
func TestExamples(t *testing.T) {
	x := &examples{t: t}
	x.WriteString(examplesHead)
	for _, f := range []func(){
		x.integers, x.checksums, x.fingerprint, x.numbers, x.adaptive, x.page, x.tables, x.values, x.lattice, x.predictions, x.counters, x.ranks, x.places, x.ticks, x.postings, x.hashes, x.filling, x.phrases,
	} {
		f()
	}
	same(t, "v1/examples.md", x.String())
}

// hexOf writes bytes as pairs of digits.
func hexOf(b []byte) string { return strings.TrimSpace(fmt.Sprintf("% x", b)) }
