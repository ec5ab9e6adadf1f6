package spec_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/spec"
	"github.com/pandotrace/pando/trace"
)

var rewrite = flag.Bool("rewrite", false, "write v1/registry.md anew from the code")

// The registry is what the code has, nothing missing and nothing more.
func TestRegistry(t *testing.T) {
	want := registry()
	if *rewrite {
		if err := os.WriteFile("v1/registry.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if spec.Registry == want {
		return
	}
	got, lines := strings.Split(spec.Registry, "\n"), strings.Split(want, "\n")
	for i, line := range lines {
		if i >= len(got) || got[i] != line {
			t.Fatalf("registry.md differs from the code at line %d, which should be %q (go test ./spec -rewrite writes it anew)", i+1, line)
		}
	}
	t.Fatal("registry.md has more lines than the code has numbers")
}

// Constants that the text tells are those of the code.
func TestConstants(t *testing.T) {
	for _, want := range []string{
		"Header, " + fmt.Sprint(format.HeaderSize) + " bytes",
		"Footer, " + fmt.Sprint(format.FooterSize) + " bytes",
		"A frame of " + fmt.Sprint(format.FrameSize) + " bytes",
		fmt.Sprintf("magic: `% X`", format.Magic),
		fmt.Sprintf("sync word: `% X`", format.Sync),
		fmt.Sprintf("magic: `% X`", format.FooterMagic),
		fmt.Sprintf("major version: %d ", format.Major),
		fmt.Sprintf("minor version: %d ", format.Minor),
	} {
		if !strings.Contains(spec.Format, want) {
			t.Errorf("format.md does not say %q", want)
		}
	}
}

// Text copied from the head of the value coder's files stays what it is there.
func TestCoderText(t *testing.T) {
	for file, heading := range map[string]string{
		"bins.go": "Bins and tables", "rans.go": "Symbols", "values.go": "Values", "model.go": "Models",
	} {
		source, err := os.ReadFile("../encode/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, found := strings.Cut(string(source), "// # "+heading+"\n")
		if !found {
			t.Fatalf("encode/%s has no section %q", file, heading)
		}
		lines := 0
		for _, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "//") {
				break
			}
			line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
			if lines++; !strings.Contains(spec.Format, line) {
				t.Errorf("format.md lacks a line of encode/%s: %s", file, line)
			}
		}
		if lines < 5 {
			t.Errorf("encode/%s: only %d lines under %q", file, lines, heading)
		}
	}
}

// registry makes the text of registry.md.
func registry() string {
	var b strings.Builder
	b.WriteString("# Registry of numbers\n\nWritten by `go test ./spec -rewrite` from the code; a test keeps the two equal. ")
	b.WriteString("Numbers are never reused. Kinds of records from 32768 on, and kinds of blocks from 128 on, are private.\n")
	b.WriteString("\n## Kinds of blocks\n\n| number | kind |\n|---:|---|\n")
	for k := range 256 {
		if name := format.BlockKind(k).String(); name != "unknown block" {
			fmt.Fprintf(&b, "| %d | %s |\n", k, strings.TrimSuffix(name, " block"))
		}
	}
	b.WriteString("\n## Codecs\n\n| number | codec |\n|---:|---|\n")
	fmt.Fprintf(&b, "| %d | none |\n| %d | zstd |\n", format.CodecNone, format.CodecZstd)
	enumerations(&b)
	b.WriteString("\n## Kinds of records\n\nA field is written as name, type and bits, with its id space or enumeration in brackets; " +
		"*key* fields are part of a value's context, *value* fields vary; braces hold the repeated group.\n\n| number | kind | fields |\n|---:|---|---|\n")
	for _, s := range trace.Standard.All() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", s.ID, s.Name, fields(s))
	}
	return b.String()
}

var typeNames = map[trace.Type]string{
	trace.TypeNumber: "number", trace.TypeSigned: "signed", trace.TypeDouble: "double", trace.TypeEnum: "enum", trace.TypeFlags: "flags",
	trace.TypeRef: "ref", trace.TypeSelf: "self", trace.TypeRank: "rank", trace.TypeTime: "time", trace.TypeCount: "count",
	trace.TypeCode: "code", trace.TypeValue: "value", trace.TypeText: "text", trace.TypeBytes: "bytes",
}

var spaceNames = []string{
	"none", "String", "Attribute", "Location", "Region", "Group", "Metric", "Comm", "Parameter", "RmaWin", "SourceCodeLocation", "CallingContext",
	"InterruptGenerator", "IoFile", "IoHandle", "LocationGroup", "SystemTreeNode", "MetricMember", "Paradigm", "IoParadigm", "Callsite",
	"Callpath", "CartDimension", "CartTopology", "Marker",
}

func enumerations(b *strings.Builder) {
	b.WriteString("\n## Types of fields\n\n| number | type |\n|---:|---|\n")
	for n := trace.Type(1); n <= trace.TypeBytes; n++ {
		fmt.Fprintf(b, "| %d | %s |\n", n, typeNames[n])
	}
	b.WriteString("\n## Id spaces\n\n| number | space |\n|---:|---|\n")
	for n := trace.SpaceNone; n <= trace.SpaceMarker; n++ {
		fmt.Fprintf(b, "| %d | %s |\n", n, spaceNames[n])
	}
	b.WriteString("\n## Types of values\n\n| number | type |\n|---:|---|\n")
	for n := trace.ValueNone; n <= trace.ValueLocationGroup; n++ {
		fmt.Fprintf(b, "| %d | %s |\n", n, n)
	}
	fmt.Fprintf(b, "\n## Roles\n\n| number | role |\n|---:|---|\n| %d | structural |\n| %d | value |\n", trace.Structural, trace.Value)
	b.WriteString("\n## Classes of streams\n\n| number | class |\n|---:|---|\n")
	for n, name := range []string{"events", "local definitions", "snapshots", "markers", "thumbnails"} {
		fmt.Fprintf(b, "| %d | %s |\n", n, name)
	}
	fmt.Fprintf(b, "\n## Flags of calls\n\n| bit | flag |\n|---:|---|\n| %d | open |\n| %d | cut |\n", trace.CallOpen, trace.CallCut)
	fmt.Fprintf(b, "\n## Rules of pairs\n\n| number | rule |\n|---:|---|\n| %d | in order |\n| %d | by key |\n", trace.InOrder, trace.ByKey)
	b.WriteString("\n## Families of pairs\n\n| number | opened by | closed by |\n|---:|---|---|\n")
	for n := trace.PairCall; n <= trace.PairLock; n++ {
		fmt.Fprintf(b, "| %d | %s | %s |\n", n, members(n, false), members(n, true))
	}
}

func members(family trace.PairFamily, closes bool) string {
	var names []string
	for _, s := range trace.Standard.All() {
		for _, p := range s.Pairs {
			if p.Family == family && p.Closes == closes {
				names = append(names, s.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

func fields(s *trace.Spec) string {
	var parts []string
	before, group, _ := s.Shape()
	for i, f := range s.Fields {
		text := fmt.Sprintf("%s:%s%d", f.Name, typeNames[f.Type], f.Bits)
		switch {
		case f.Ref != trace.SpaceNone:
			text += "[" + spaceNames[f.Ref] + "]"
		case f.Enum != nil:
			text += "[" + f.Enum.Name + "]"
		}
		if f.Key {
			text += " *key*"
		}
		if f.Role == trace.Value {
			text += " *value*"
		}
		if group > 0 && i == before {
			text = "{" + text
		}
		if group > 0 && i == before+group-1 {
			text += "}"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
