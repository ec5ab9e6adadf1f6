package stacks

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed flame.js
var flameScript string

// Sizes of a flame graph, in pixels.
const (
	flameWidth  = 1180
	flameLeft   = 10
	flameTop    = 62
	flameRow    = 18
	flameFoot   = 30
	letterWidth = 6.6 // of a letter of the font, about
	leastWidth  = 0.1 // of a frame that is drawn
)

// WriteSVG writes a flame graph: a box for each node, as wide as its subtree's value in the main column, below that of its caller. Boxes
// narrower than a tenth of a pixel are left out. In a browser, a click zooms, and there is a search; tooltips say all columns.
func WriteSVG(to io.Writer, t *Tree) error {
	f := flame{w: bufio.NewWriter(to), tree: t}
	f.layOut()
	f.head()
	for i := range f.boxes {
		f.box(&f.boxes[i])
	}
	f.legend()
	fmt.Fprintf(f.w, "<text id=\"detail\" x=\"%d\" y=\"%d\"></text>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", flameLeft, f.height-10, flameScript)
	return f.w.Flush()
}

// flame is a flame graph that is being written.
type flame struct {
	w      *bufio.Writer
	tree   *Tree
	sums   [][]int64 // by column
	boxes  []box
	height int
	total  int64 // of the main column
}

// box is a node in a flame graph. begin and end are values of the main column.
type box struct {
	node       int // -1 for the box around all
	level      int
	begin, end int64
}

// layOut places the boxes. Nodes follow each other from the left; what their callers have alone is at the right.
func (f *flame) layOut() {
	for c := range f.tree.Columns {
		f.sums = append(f.sums, f.tree.inclusive(c))
	}
	width := make([]int64, len(f.tree.Nodes))
	if len(f.tree.Columns) > 0 {
		values := make([]int64, len(width))
		for n, v := range f.tree.Columns[0].Values {
			values[n] = max(v, 0)
		}
		width = (&Tree{Nodes: f.tree.Nodes, Columns: []Column{{Values: values}}}).inclusive(0)
	}
	below, roots := f.tree.children()
	for _, n := range roots {
		f.total = plus(f.total, width[n])
	}
	f.boxes = append(f.boxes, box{-1, 0, 0, f.total})
	least := int64(float64(f.total) * leastWidth / flameWidth)
	deepest := 0
	for i := 0; i < len(f.boxes); i++ {
		b := f.boxes[i]
		deepest = max(deepest, b.level)
		inside := roots
		if b.node >= 0 {
			inside = below[b.node]
		}
		at := b.begin
		for _, n := range inside {
			if width[n] > least {
				f.boxes = append(f.boxes, box{n, b.level + 1, at, at + width[n]})
			}
			at += width[n]
		}
	}
	f.height = flameTop + (deepest+1)*flameRow + flameFoot
}

// head writes what is above the boxes.
func (f *flame) head() {
	const style = `text{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#222}` +
		`.title{font-size:14px;font-weight:bold}.button{cursor:pointer;text-decoration:underline}.f{cursor:pointer}.f text{pointer-events:none}` +
		`.f rect{stroke:#fff;stroke-width:.6}.f:hover rect{stroke:#000;stroke-width:1}.f .hit{fill:#e600e6}`
	all := flameWidth + 2*flameLeft
	fmt.Fprintf(f.w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" data-width="%d" data-left="%d" data-letter="%v">`+"\n",
		all, f.height, flameWidth, flameLeft, letterWidth)
	fmt.Fprintf(f.w, "<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", style)
	fmt.Fprintf(f.w, "<text class=\"title\" x=\"%d\" y=\"20\">%s</text>\n", flameLeft, xmlText(f.tree.Title))
	fmt.Fprintf(f.w, "<text x=\"%d\" y=\"38\">%s</text>\n", flameLeft, xmlText(strings.Join(f.tree.Comments, " · ")))
	fmt.Fprintf(f.w, "<text id=\"search\" class=\"button\" x=\"%d\" y=\"20\" text-anchor=\"end\" style=\"display:none\">Search</text>\n", all-flameLeft)
	fmt.Fprintf(f.w, "<text id=\"found\" x=\"%d\" y=\"38\" text-anchor=\"end\"></text>\n", all-flameLeft)
	fmt.Fprintf(f.w, "<text id=\"reset\" class=\"button\" x=\"%d\" y=\"20\" text-anchor=\"end\" style=\"display:none\">Reset zoom</text>\n", all-flameLeft-110)
}

// box writes a box with its tooltip.
func (f *flame) box(b *box) {
	name, fill, tip := "all", "#d8d8d8", ""
	if b.node >= 0 {
		frame := &f.tree.Frames[f.tree.Nodes[b.node].Frame]
		name, tip = frame.Name, f.tip(b.node)
		if fill = frame.Colour; fill == "" {
			fill = "#a9bcd6"
		}
	} else if len(f.tree.Columns) > 0 {
		tip = name + "\n" + f.tree.Columns[0].Name + " " + valueText(f.total, f.tree.Columns[0].Unit)
	}
	part := func(v int64) float64 { return float64(v) / float64(max(f.total, 1)) }
	x, width := flameLeft+flameWidth*part(b.begin), flameWidth*part(b.end-b.begin)
	if f.total == 0 {
		width = flameWidth
	}
	y := flameTop + b.level*flameRow
	fmt.Fprintf(f.w, `<g class="f" data-name="%s" data-a="%s" data-b="%s" data-l="%d"><title>%s</title>`, xmlText(name), short(1e6*part(b.begin)), short(1e6*part(b.end)), b.level, xmlText(tip))
	fmt.Fprintf(f.w, `<rect x="%s" y="%d" width="%s" height="%d" fill="%s"/><text x="%s" y="%d"%s>%s</text></g>`+"\n",
		short(x), y, short(width), flameRow-1, xmlText(fill), short(x+3), y+flameRow-5, contrast(fill), xmlText(fitting(name, width)))
}

// tip is the tooltip of a node: its name, and each column for the subtree and for the node alone.
func (f *flame) tip(n int) string {
	frame := &f.tree.Frames[f.tree.Nodes[n].Frame]
	lines := []string{frame.Name}
	if frame.Kind != "" {
		lines[0] += " (" + frame.Kind + ")"
	}
	for i := range f.tree.Columns {
		c := &f.tree.Columns[i]
		if c.Unit == Count {
			lines = append(lines, c.Name+" "+valueText(c.Values[n], c.Unit))
			continue
		}
		share := ""
		if i == 0 && f.total > 0 {
			share = fmt.Sprintf(" (%.1f %%)", 100*float64(f.sums[i][n])/float64(f.total))
		}
		lines = append(lines, c.Name+" "+valueText(f.sums[i][n], c.Unit)+share+", own "+valueText(c.Values[n], c.Unit))
	}
	if frame.File != "" {
		lines = append(lines, frame.File+":"+strconv.Itoa(frame.Line))
	}
	return strings.Join(lines, "\n")
}

// legend writes the colours of the kinds that there are, in the order of their first boxes.
func (f *flame) legend() {
	seen := map[string]bool{}
	x := flameLeft
	for _, b := range f.boxes[1:] {
		frame := &f.tree.Frames[f.tree.Nodes[b.node].Frame]
		if f.tree.Kinds[frame.Kind] == "" || seen[frame.Kind] {
			continue
		}
		seen[frame.Kind] = true
		fmt.Fprintf(f.w, "<rect x=\"%d\" y=\"46\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"55\">%s</text>\n", x, xmlText(f.tree.Kinds[frame.Kind]), x+14, xmlText(frame.Kind))
		x += 34 + int(letterWidth*float64(utf8.RuneCountInString(frame.Kind)))
	}
}

// fitting returns as much of a name as fits into a box.
func fitting(name string, width float64) string {
	letters := int((width - 6) / letterWidth)
	switch runes := []rune(name); {
	case letters < 3:
		return ""
	case len(runes) > letters:
		return string(runes[:letters-1]) + "…"
	}
	return name
}

// contrast returns an attribute for text on a colour of the form #rrggbb.
func contrast(colour string) string {
	rgb, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 24)
	if err == nil && 299*(rgb>>16)+587*(rgb>>8&255)+114*(rgb&255) < 130_000 {
		return ` style="fill:#fff"`
	}
	return ""
}

// valueText returns a value for people.
func valueText(v int64, unit string) string {
	if unit != Nanoseconds {
		return strconv.FormatInt(v, 10)
	}
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if f := float64(v) / u.size; f >= 1 || f <= -1 {
			return strconv.FormatFloat(f, 'g', 4, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(v, 10) + " ns"
}

// short returns a number with as many digits as pictures need.
func short(v float64) string {
	s := strings.TrimRight(strconv.FormatFloat(v, 'f', 3, 64), "0")
	return strings.TrimSuffix(s, ".")
}

// xmlText escapes a text for XML, which cannot have all characters.
func xmlText(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
}
