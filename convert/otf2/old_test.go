package otf2

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// Definitions of before version 1.2 end before the fields that later versions appended. What these then are is compared
// with otf2-print.
func TestOldDefinitions(t *testing.T) {
	program := tracetest.Oracle(t, "otf2-print")
	anchor := oldArchive(t)
	out, err := exec.Command(program, "-G", anchor).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range bytes.Lines(out) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && oldKinds[name] != "" {
			want = append(want, name+": "+pick(rest, oldKinds[name]))
		}
	}
	a, err := Open(anchor, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defs, _ := a.Definitions(0)
	var got []string
	for i := range defs {
		if s := describeOld(&defs[i]); s != "" {
			got = append(got, s)
		}
	}
	compareLines(t, "definitions", got, want)
	if len(want) != 256+256+9 {
		t.Errorf("%d definitions were compared", len(want))
	}
}

// oldKinds has, for names of otf2-print, the labels of the values to compare.
var oldKinds = map[string]string{
	"REGION":                    "(Aka.|Role:|Paradigm:|Flags:",
	"GROUP":                     "Type:|Paradigm:|Flags:",
	"LOCATION_GROUP":            "Creator:",
	"COMM":                      "Flags:",
	"RMA_WIN":                   "Flags:",
	"ATTRIBUTE":                 "Description:",
	"METRIC_CLASS":              "Kind:",
	"SYSTEM_TREE_NODE_PROPERTY": "Type:|Value:",
	"LOCATION_GROUP_PROPERTY":   "Type:|Value:",
	"LOCATION_PROPERTY":         "Type:|Value:",
	"CLOCK_PROPERTIES":          "Date:",
}

// pick returns the values that follow the labels, each up to a comma or the end.
func pick(line, labels string) string {
	var values []string
	for _, label := range strings.Split(labels, "|") {
		_, rest, _ := strings.Cut(line, label+" ")
		end := ","
		if strings.HasPrefix(rest, "{") {
			end = "}" // a set of flags
		}
		value, _, _ := strings.Cut(rest, end)
		values = append(values, strings.Trim(value, "{)"))
	}
	return strings.Join(values, "|")
}

// describeOld prints the fields that oldKinds names as otf2-print does.
func describeOld(r *trace.Record) string {
	switch w := r.Words; r.Kind {
	case trace.KindRegion:
		return fmt.Sprintf("REGION: %s|%s|%s|%s", oldName(w[6]), trace.EnumRegionRole.Format(w[7]),
			trace.EnumParadigm.Format(w[8]), oldFlags(trace.EnumRegionFlag, w[9]))
	case trace.KindGroup:
		n := w[2]
		return fmt.Sprintf("GROUP: %s|%s|%s", trace.EnumGroupType.Format(w[3+n]),
			trace.EnumParadigm.Format(w[4+n]), oldFlags(trace.EnumGroupFlag, w[5+n]))
	case trace.KindLocationGroup:
		return "LOCATION_GROUP: " + oldName(w[4])
	case trace.KindComm:
		return "COMM: " + oldFlags(trace.EnumCommFlag, w[4])
	case trace.KindRmaWin:
		return "RMA_WIN: " + oldFlags(trace.EnumRmaWinFlag, w[3])
	case trace.KindAttribute:
		return "ATTRIBUTE: " + oldName(w[3])
	case trace.KindMetricClass:
		return "METRIC_CLASS: " + trace.EnumRecorderKind.Format(w[len(w)-1])
	case trace.KindSystemTreeNodeProperty:
		return "SYSTEM_TREE_NODE_PROPERTY: " + trace.ValueType(w[2]).String() + "|" + oldName(w[3])
	case trace.KindLocationGroupProperty:
		return "LOCATION_GROUP_PROPERTY: " + trace.ValueType(w[2]).String() + "|" + oldName(w[3])
	case trace.KindLocationProperty:
		return "LOCATION_PROPERTY: " + trace.ValueType(w[2]).String() + "|" + oldName(w[3])
	case trace.KindClockProperties:
		if w[3] == trace.Undefined {
			return "CLOCK_PROPERTIES: UNDEFINED"
		}
	}
	return ""
}

func oldName(id uint64) string {
	if id == form.Undefined32 {
		return "UNDEFINED"
	}
	return fmt.Sprintf("%q <%d>", oldStrings[id], id)
}

func oldFlags(e *trace.Enum, w uint64) string {
	if w == 0 {
		return "NONE"
	}
	return strings.ReplaceAll(e.FormatFlags(w), "|", ", ")
}

var oldStrings = []string{"name", "value"}

// oldArchive writes an archive with regions and groups of all 256 obsolete types, and one definition of each other kind
// that has grown.
func oldArchive(t *testing.T) (anchor string) {
	var defs [][]byte
	add := func(id byte, payload ...byte) { defs = append(defs, recordL(id, payload...)) }
	for i, s := range oldStrings {
		add(10, slices.Concat(compressed(uint64(i)), []byte(s), []byte{0})...)
	}
	const name, value, undefined = 0, 1, 0xff // compressed integers 0, and the first byte of others
	for i := range 256 {
		add(15, slices.Concat(compressed(uint64(i)), []byte{name, name, byte(i), name, 0, 0})...)
	}
	for i := range 256 {
		add(18, slices.Concat(compressed(uint64(i)), []byte{name, byte(i), 0})...)
	}
	add(12, 0, name, name, undefined)
	add(13, 0, name, 1, 0)
	add(14, 0, name, 1, 0, 0)
	add(22, 0, name, 1, 1, undefined)
	add(24, 0, name, 0)
	add(11, 0, name, 4)
	add(19, 0, name, name, 0, 0, 4, 0, 0, name)
	add(20, 0, 1, 0, 1)
	add(26, 0, name, 1, value)
	add(28, 0, name, 1, value)
	add(29, 0, name, 1, value)
	add(5, 1, 100, 0, 1, 10)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string][]byte{
		"old.otf2": anchorFile(1, uint64(len(defs))), "old.def": fileOf(defs...), "old/0.def": fileOf(), "old/0.evt": fileOf(),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "old.otf2")
}
