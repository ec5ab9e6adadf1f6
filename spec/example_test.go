package spec

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
)

// exampleFile is the vector that v1/example.md shows byte by byte.
const exampleFile = "one-event"

// The layouts of the example, in the order of their bytes. An item is a type and a meaning; items are divided by semicolons:
//
//	u, v    uvarint, varint
//	3       as many bytes, which are a number (up to 8), or 3x: bytes as they are
//	s, x    bytes: a text, or bytes as they are
//	(...)   what stands between is repeated as often as the number before it says
//	model, page, rest   a model in form 0; the stream of a page of shapes; all bytes that are left
const (
	headerLayout = `8x magic; 2 major version; 2 minor version; 4 zero; 8 optional features; 8 required features; 16x file id; 12x zero; 4x checksum of these bytes`
	footerLayout = `8 offset of the root's block; 8 optional features; 8 required features; 16x file id; 8 length of the file; 4 length of the root's block; ` +
		`4x its checksum; 4 number of blocks; 4x checksum of these bytes; 8x magic`
	frameLayout = `4x sync word; 1 kind; 1 codec; 2 zero; 4 stored length; 4 raw length; 4 ordinal; 4x checksum of these bytes; 4x checksum of the block`
	kindsLayout = `u kinds (u kind; s name; u fields (s name; 1 type; 1 bits; 1 space of ids; 1 role, key, repeat, peer); u pairs (` +
		`1 family, and 128 if it closes; 1 rule; u keys (s name of a field)))`
	entriesLayout = `u entries (1 kind of block; 1 level; u lane; v number, less the one before; v offset, less the end before; u length; 4x checksum)`
	groupLayout   = `u group; u lane; u epoch; u pages of the dictionary`
)

var exampleLayouts = map[format.BlockKind]string{
	format.BlockMeta: `s format of the source; u ticks per second; u epoch; u properties; ` + strings.Replace(kindsLayout, "u kinds", "u private kinds", 1) + `; u conversions`,
	format.BlockDefinitions: `u records; u records of the log before them; u records less 1: they are one run; u kinds (u kind, less the one before); ` +
		strings.Repeat(`u run: index of its kind; u its records less 1; `, 4) +
		`1 form of strings' ids; u id; u id; 1 bytes shared with the text before; 1 bytes shared; u length of the rest; u length; 7x rest; 8x rest; ` +
		columnsOf("location group", "id", "name", "type", "parent", "creator") + `; ` + columnsOf("location", "id", "name", "type", "events", "location group"),
	format.BlockDictionary: groupLayout + `; u first shape; page stream of adaptive bits`,
	format.BlockModel: groupLayout + `; u pairs; u periods; u predictions; u successors; u length of the structure model; model structure; u length of the roster; ` +
		`u first slice; u slices; u shares; x shares, locations and events less 1: one bin each, so no bits; u first ordinal; v id of the location; x dictionary of texts: none; model values`,
	format.BlockSlice: `u slice; u lane; u epoch; v start; u end - start; x text; x structure: no exceptions, no words, as each number is the only one in its table; ` +
		`u bytes of the values of group 0; u of group 1; u of group 2; u exceptions among the values; u words`,
	format.BlockCalls: `u length of the head; u level; u node; u lane; u period of the clocks; u regions; u calling contexts; u stacks; ` +
		`u parts; u first cell; u runs; u calls, less the runs; u length of the part; u length of the model; ` +
		`model 14 contexts, and 9 of one key; x structure; x structure of the part; rest values of the part`,
	format.BlockSummary: `u level; u node; u lane; x table of calls: none; x table of messages: no lines; x table of collective operations: no lines; ` +
		`x table of metrics: no lines`,
	format.BlockKinds: kindsLayout,
	format.BlockTotals: `u calls; u messages; u unmatched sends; u unmatched receives; u cancelled sends; u suspicious messages; u message bytes; u open calls; ` +
		`u cut calls; u orphan leaves; u definitions; u epochs; u nodes; u depth; u locations: that many; v first; u last - first; u kinds (u kind; u count); ` +
		`u auxiliary streams; 32x fingerprint; u locations in each page: 0, there are none; ` + columnsOf("location", "id", "lane", "events", "calls", "depth", "first", "last - first"),
	format.BlockPostings: `u first slice; u first lane; u lists (1 what: 0 location, 1 region, 2 kind; u id; x bitmap: slice 0)`,
	format.BlockPage:     `u first slice; u first lane; u slices (v start; u end - start; u events); ` + entriesLayout,
	format.BlockRoot: `u fanout; u slices of a group; u events; u slices; u lanes; u epochs; u pages (u slices; v start; u end - start; v offset; u length; 4x checksum; u further pages); ` +
		entriesLayout + `; u kinds of the definitions (u kind, less the one before)`,
}

// columnsOf is the layout of columns with a number each.
func columnsOf(kind string, fields ...string) string {
	var items []string
	for _, field := range fields {
		items = append(items, "1 form of a "+kind+"'s "+field, "u "+field)
	}
	return strings.Join(items, "; ")
}

var exampleSections = map[format.BlockKind]string{
	format.BlockMeta: "4.1", format.BlockDefinitions: "5.1", format.BlockDictionary: "6.1", format.BlockModel: "7.1", format.BlockSlice: "7.2",
	format.BlockCalls: "10.2", format.BlockSummary: "10.5", format.BlockKinds: "4.2", format.BlockTotals: "4.3", format.BlockPostings: "9.3",
	format.BlockPage: "9.1", format.BlockRoot: "9.2",
}

// shown is a file that is shown byte by byte.
type shown struct {
	strings.Builder
	file []byte
	at   int
}

// TestExampleFile holds v1/example.md against the file.
func TestExampleFile(t *testing.T) {
	file, err := Vectors.ReadFile("v1/vectors/" + exampleFile + ".pando")
	if err != nil {
		t.Fatal(err)
	}
	d := &shown{file: file}
	d.WriteString("# A file, byte by byte\n\nThe vector `" + exampleFile + "`: location 7 enters region 3 at time 0, and never leaves it. Sections are those of [format.md](format.md).\n" +
		"This text is made by `go test ./spec -rewrite`, and tested by `go test ./spec`. Bytes are in hexadecimal digits; what they say stands behind them.\n")
	d.part("Header (2.1)", headerLayout, 64)
	for end := len(file) - format.FooterSize; d.at < end; {
		kind := format.BlockKind(file[d.at+4])
		length := int(binary.LittleEndian.Uint32(file[d.at+8:]))
		d.part(fmt.Sprintf("Block of kind %d: %v (%s)", kind, strings.TrimSuffix(kind.String(), " block"), exampleSections[kind]), frameLayout+"; "+exampleLayouts[kind], format.FrameSize+length)
	}
	d.part("Footer (2.3)", footerLayout, format.FooterSize)
	same(t, "v1/example.md", d.String())
}

// same holds a text against a file that is made of it.
func same(t *testing.T, path, want string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if string(old) == want && err == nil {
		return
	}
	if *rewrite {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not what is made; look at the difference after go test ./spec -rewrite. The first is\n%s", path, firstDifference(string(old), want))
}

// layoutItem is an item, and what is repeated behind it.
type layoutItem struct {
	text     string
	repeated []layoutItem
}

// parseLayout reads the items of a layout up to a parenthesis that closes, and returns what is behind it.
func parseLayout(text string) (items []layoutItem, rest string) {
	for {
		i := strings.IndexAny(text, ";()")
		if i < 0 {
			return append(items, layoutItem{text: strings.TrimSpace(text)}), ""
		}
		if item := strings.TrimSpace(text[:i]); item != "" {
			items = append(items, layoutItem{text: item})
		}
		by := text[i]
		switch text = text[i+1:]; by {
		case '(':
			items[len(items)-1].repeated, text = parseLayout(text)
		case ')':
			return items, text
		}
	}
}

// part shows a number of bytes by a layout. The layout behind a frame begins anew while bytes are left.
func (d *shown) part(title, layout string, length int) {
	fmt.Fprintf(d, "\n## %s\n\n```\n", title)
	end := d.at + length
	items, _ := parseLayout(layout)
	for from := 0; d.at < end; from = strings.Count(frameLayout, ";") + 1 {
		d.items(items[from:], end)
	}
	d.WriteString("```\n")
	if d.at != end {
		panic(fmt.Sprintf("%s: the layout ends at %d, the block at %d", title, d.at, end))
	}
}

func (d *shown) items(items []layoutItem, end int) {
	for i := range items {
		n := d.item(items[i].text, end)
		if items[i].repeated == nil {
			continue
		}
		for range n {
			d.items(items[i].repeated, end)
		}
	}
}

// item shows an item, and returns its number if it is one.
func (d *shown) item(item string, end int) uint64 {
	if item == "" || d.at >= end {
		return 0
	}
	typ, meaning, _ := strings.Cut(item, " ")
	p := plain{d.file[d.at:end]}
	begin := len(p.b)
	value, said := uint64(0), ""
	switch typ {
	case "u":
		value = p.uvarint()
		said = fmt.Sprint(value)
	case "v":
		value = p.varint()
		said = fmt.Sprint(int64(value))
	case "s":
		said = fmt.Sprintf("%q", p.bytes())
	case "x":
		said = fmt.Sprintf("length %d", len(p.bytes()))
	case "rest":
		p.b, said = nil, ""
	case "model":
		said = modelSaid(&p)
	case "page":
		said = pageSaid(p.b)
		p.b = nil
	default:
		n, err := strconv.Atoi(strings.TrimSuffix(typ, "x"))
		if err != nil {
			panic(item)
		}
		if strings.HasSuffix(typ, "x") {
			p.take(uint64(n))
		} else {
			value = p.fixed(n)
			said = fmt.Sprint(value)
		}
	}
	d.row(begin-len(p.b), meaning, said)
	return value
}

// row shows n bytes, eight a line, and what they say beside them.
func (d *shown) row(n int, meaning, said string) {
	if said != "" {
		meaning += ": " + said
	}
	lines := folded(meaning, 110)
	for i := 0; 8*i < n || i < len(lines); i++ {
		place, bytes, line := "", "", ""
		if 8*i < n {
			place, bytes = fmt.Sprint(d.at+8*i), hexOf(d.file[d.at+8*i:d.at+min(8*i+8, n)])
		}
		if i < len(lines) {
			line = lines[i]
		}
		fmt.Fprintf(d, "%s\n", strings.TrimRight(fmt.Sprintf("%5s  %-24s  %s", place, bytes, line), " "))
	}
	d.at += n
}

// folded divides a text into lines of some characters at most.
func folded(text string, most int) (lines []string) {
	for len(text) > most {
		at := strings.LastIndexByte(text[:most], ' ')
		lines, text = append(lines, text[:at]), text[at+1:]
	}
	return append(lines, text)
}

// modelSaid reads a model and says what it is.
func modelSaid(p *plain) string {
	m := p.model()
	var tables []string
	for _, t := range m.tables {
		var bins []string
		for _, b := range t.bins {
			bins = append(bins, fmt.Sprintf("%d + %d bits", b.begin, b.offsetBits))
		}
		tables = append(tables, strings.Join(bins, ", "))
	}
	return fmt.Sprintf("%d contexts, of tables %v; tables with the bins %s", len(m.tableOf), m.tableOf, strings.Join(tables, " | "))
}

// pageSaid reads the stream of a first page that has one leaf of one word, and says what it is.
func pageSaid(b []byte) string {
	s := plainBits{chances: map[string]*plainChance{}}
	s.open(b)
	said := fmt.Sprintf("N(demotions, %d), N(ranks, %d), N(shapes, %d), ", s.number("demotions"), s.number("ranks"), s.number("shapes"))
	leaf := s.bit("leaf", 0)
	kind, attributes := s.number("kind"), s.number("attributes")
	said += fmt.Sprintf("B(leaf 0, %d), N(kind, %d), N(attributes, %d)", btoi(leaf), kind, attributes)
	k := 16 * kind % 251
	for i := range uint64(2) {
		known, step := s.bit("known", k+i), s.number("step", k+i)
		said += fmt.Sprintf(", B(known %d, %d), N(step %d, %d)", k+i, btoi(known), k+i, step)
	}
	s.close()
	return said
}
