package spec

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what is taken from the code into the texts")

// The texts have marks, behind which stands what is taken from the code, up to an end mark:
//
//	<!-- layout: FILE "BEGIN" -->  the indented lines of the comment of that file that begins thus
//	<!-- text: FILE "BEGIN" -->    the whole comment
//	<!-- table: NAME -->           a table of numbers
var mark = regexp.MustCompile(`(?m)^<!-- (layout|text|table): ([^ "]+)(?: "([^"]*)")? -->\n(?s:.*?\n)??<!-- end -->\n`)

// anyMark is what begins or ends a part.
var anyMark = regexp.MustCompile(`(?m)^<!-- (layout|text|table|end).*`)

const endMark = "<!-- end -->\n"

// render fills in the parts of a text that are taken from the code.
func render(t *testing.T, text string) string {
	t.Helper()
	for i, m := range anyMark.FindAllString(text, -1) {
		if (m == strings.TrimSpace(endMark)) != (i%2 == 1) { // else what stands up to the next end would be lost
			t.Fatalf("%s: a mark without its end, or an end without its mark", m)
		}
	}
	marks := 0
	out := mark.ReplaceAllStringFunc(text, func(old string) string {
		marks++
		m := mark.FindStringSubmatch(old)
		head, _, _ := strings.Cut(old, "\n")
		var body string
		switch m[1] {
		case "layout":
			body = layout(t, comment(t, m[2], m[3]))
		case "text":
			body = prose(comment(t, m[2], m[3]))
		case "table":
			body = table(t, m[2])
		}
		return head + "\n" + strings.TrimRight(body, "\n") + "\n" + endMark
	})
	if marks < 10 {
		t.Fatalf("only %d marks", marks)
	}
	return out
}

// TestDocuments holds the texts against the code.
func TestDocuments(t *testing.T) {
	for name, text := range map[string]string{"v1/format.md": Format, "v1/registry.md": Registry} {
		want := render(t, text)
		if again := render(t, want); again != want {
			t.Fatalf("%s: what is written is not found again", name)
		}
		if want == text {
			continue
		}
		if *rewrite {
			if err := os.WriteFile(filepath.FromSlash(name), []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s is not what the code says; look at the difference after go test ./spec -rewrite. The first is\n%s", name, firstDifference(text, want))
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %s\ncode:   %s", i+1, x[i], y[i])
		}
	}
	return "at the end"
}

// source parses a file of the repository.
func source(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", filepath.FromSlash(name)), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// comment returns the one comment of a file that begins with some words.
func comment(t *testing.T, file, begin string) string {
	t.Helper()
	var found []string
	for _, c := range source(t, file).Comments {
		if text := c.Text(); begin != "" && strings.HasPrefix(text, begin) {
			found = append(found, text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d comments begin with %q", file, len(found), begin)
	}
	return found[0]
}

// layout returns the first indented lines of a comment.
func layout(t *testing.T, text string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			lines = append(lines, line[1:])
		} else if len(lines) > 0 {
			break
		}
	}
	if len(lines) == 0 {
		t.Fatalf("no layout in %q", text)
	}
	return "```\n" + strings.Join(lines, "") + "```"
}

// prose renders a whole comment as Markdown.
func prose(text string) string {
	var b bytes.Buffer
	code := false
	for line := range strings.Lines(text) {
		if indented := strings.HasPrefix(line, "\t"); indented != code {
			b.WriteString("```\n")
			code = indented
		}
		switch {
		case code:
			b.WriteString(line[1:])
		case strings.HasPrefix(line, "# "):
			b.WriteString("##" + line)
		default:
			b.WriteString(line)
		}
	}
	if code {
		b.WriteString("```\n")
	}
	return b.String()
}

func TestProse(t *testing.T) {
	got := prose("# Head\n\nText.\n\n\ta  b\n\tc\n\nMore.\n\n\tlast\n")
	want := "### Head\n\nText.\n\n```\na  b\nc\n```\n\nMore.\n\n```\nlast\n```\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
