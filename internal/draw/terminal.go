package draw

import (
	"bufio"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Colours are those that a terminal has.
type Colours uint8

const (
	// NoColours draws with letters.
	NoColours Colours = iota
	// Colours256 are the palette of 256 colours.
	Colours256
	// TrueColours are all colours of 24 bits.
	TrueColours
)

// Terminal is where a chart is drawn with characters. With colours, a character shows two pixels side by side.
type Terminal struct {
	width, lines int // in characters; lines are those of locations at most
	labels       int // width of the labels
	colours      Colours
}

// Bounds of a chart of characters: the width of its labels, the lines of locations where nobody knows how many fit, or hardly any do, and the
// entries of its legend.
const (
	mostLabel   = 24
	usualLines  = 64
	leastLines  = 8
	fixedLines  = 6 // title, axis, and the prompt behind
	mostLetters = 16
	leastWidth  = 40
)

// NewTerminal returns a terminal of a width and a height in characters; the height is 0 if nobody knows.
func NewTerminal(width, height int, colours Colours) *Terminal {
	t := &Terminal{width: max(width, leastWidth), lines: usualLines, colours: colours}
	t.labels = min(mostLabel, t.width/4)
	if height > 0 {
		t.lines = max(height-fixedLines, leastLines)
	}
	return t
}

// Pixels returns how many pixels of time there are.
func (t *Terminal) Pixels() int {
	if t.colours == NoColours {
		return t.plot()
	}
	return 2 * t.plot()
}

// plot returns the width of the lines without their labels.
func (t *Terminal) plot() int { return t.width - t.labels - 1 }

// group is what has a colour or letter of its own: a region, or all of an activity.
type group struct {
	name   string
	colour color.RGBA
	share  float64
}

// Places in the list of groups for what is none of them.
const noGroup = -1

// Terminal draws with characters: a line for each location, or for neighbours if they are many, with the region that has most of each
// pixel's time.
func (c *Chart) Terminal(to io.Writer, t *Terminal) error {
	w := bufio.NewWriter(to)
	groups, of := c.groups()
	entries := t.legend(c, groups)
	fmt.Fprintf(w, "%s\n", t.bold(fit(c.Title, t.width)))
	fmt.Fprintf(w, "%s\n", fit(c.Subtitle, t.width))
	lines := t.lines
	if lines != usualLines {
		lines = max(lines-len(entries), leastLines)
	}
	each := (len(c.Rows) + lines - 1) / max(lines, 1)
	for first := 0; first < len(c.Rows); first += each {
		end := min(first+each, len(c.Rows))
		label := pad(fit(c.label(first, end), t.labels), t.labels)
		t.line(w, label, c.most(first, end, len(groups), of), groups)
		t.markLine(w, c, first, end)
	}
	t.axis(w, c)
	for _, line := range entries {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// groups returns what has a colour of its own, that with most time first, and the place of each region in the list.
func (c *Chart) groups() (list []group, of []int) {
	place, at := map[string]int{}, make([]int, len(c.Regions))
	for i, r := range c.Regions {
		name := r.Activity.String()
		if !c.byActivity {
			name = fmt.Sprint(i)
		}
		g, ok := place[name]
		if !ok {
			g = len(list)
			place[name] = g
			if !c.byActivity {
				name = plainName(r.Name)
			}
			list = append(list, group{name: name, colour: r.Colour})
		}
		list[g].share += r.Share
		at[i] = g
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].share, list[a].share) })
	sorted, rank := make([]group, len(list)), make([]int, len(list))
	for i, g := range order {
		sorted[i], rank[g] = list[g], i
	}
	for i := range at {
		at[i] = rank[at[i]]
	}
	return sorted, at
}

// label names the locations of a line.
func (c *Chart) label(first, end int) string {
	name := func(i int) string {
		r := &c.Rows[i]
		alone := (i == 0 || c.Rows[i-1].Process != r.Process) && (i+1 == len(c.Rows) || c.Rows[i+1].Process != r.Process)
		if alone || r.Name == "" || r.Name == r.Process {
			return r.Process
		}
		return r.Process + " " + r.Name
	}
	if end == first+1 {
		return name(first)
	}
	return name(first) + " … " + name(end-1)
}

// most returns for each pixel of some rows the group that has most of the time, noGroup if that is no call.
func (c *Chart) most(first, end, groups int, of []int) []int {
	most, next := make([]int, c.timeline.Pixels), make([]int, end-first)
	ticks := make([]uint64, groups)
	var met []int // groups with time in the pixel
	for p := range most {
		from, to := c.timeline.Pixel(p)
		idle := uint64(to-from) * uint64(end-first)
		met = met[:0]
		for i := range next {
			for list := c.Rows[first+i].cells; next[i] < len(list) && int(list[next[i]].Pixel) == p; next[i]++ {
				cell := &list[next[i]]
				g := of[cell.Region]
				if ticks[g] == 0 {
					met = append(met, g)
				}
				ticks[g] += cell.Ticks
				idle -= min(cell.Ticks, idle)
			}
		}
		most[p] = noGroup
		slices.Sort(met)
		for _, g := range met {
			if ticks[g] > idle {
				most[p], idle = g, ticks[g]
			}
			ticks[g] = 0
		}
	}
	return most
}

// line writes the line of some locations.
func (t *Terminal) line(w *bufio.Writer, label string, most []int, groups []group) {
	w.WriteString(label + " ")
	if t.colours == NoColours {
		for _, g := range most {
			w.WriteByte(letter(g))
		}
		w.WriteString("\n")
		return
	}
	before := ""
	for x := 0; x+1 < len(most); x += 2 {
		style, sign := t.pair(most[x], most[x+1], groups)
		if style != before {
			w.WriteString(style)
			before = style
		}
		w.WriteString(sign)
	}
	w.WriteString(reset + "\n")
}

// pair returns the colours and the character of two pixels. Where there is no call, the terminal keeps its own colour, light or dark.
func (t *Terminal) pair(left, right int, groups []group) (style, sign string) {
	switch {
	case left == noGroup && right == noGroup:
		return reset, " "
	case left == noGroup:
		return reset + t.escape(38, groups[right].colour), "▐"
	case right == noGroup:
		return reset + t.escape(38, groups[left].colour), "▌"
	}
	style = t.escape(38, groups[left].colour) + t.escape(48, groups[right].colour)
	if left == right {
		return style, " "
	}
	return style, "▌"
}

const reset = "\x1b[0m"

// letter returns the sign of a group: letters for those with most time.
func letter(g int) byte {
	switch {
	case g == noGroup:
		return '.'
	case g < mostLetters:
		return byte('A' + g)
	}
	return '+'
}

// bold returns a text in bold, if the terminal has colours.
func (t *Terminal) bold(text string) string {
	if t.colours == NoColours {
		return text
	}
	return "\x1b[1m" + text + reset
}

// escape returns the sequence that sets the colour of characters (38) or of what is behind them (48).
func (t *Terminal) escape(what int, c color.RGBA) string {
	if t.colours == TrueColours {
		return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", what, c.R, c.G, c.B)
	}
	return fmt.Sprintf("\x1b[%d;5;%dm", what, palette(c))
}

// palette returns the nearest of the 216 colours of the cube and the 24 greys of the palette of 256 colours.
func palette(c color.RGBA) int {
	level := func(v uint8) (int, float64) {
		steps := [6]float64{0, 95, 135, 175, 215, 255}
		best := 0
		for i := range steps {
			if math.Abs(steps[i]-float64(v)) < math.Abs(steps[best]-float64(v)) {
				best = i
			}
		}
		return best, steps[best]
	}
	far := func(r, g, b float64) float64 {
		r, g, b = r-float64(c.R), g-float64(c.G), b-float64(c.B)
		return r*r + g*g + b*b
	}
	r, red := level(c.R)
	g, green := level(c.G)
	b, blue := level(c.B)
	grey := min(max(int(math.Round(((float64(c.R)+float64(c.G)+float64(c.B))/3-8)/10)), 0), 23)
	if at := float64(8 + 10*grey); far(at, at, at) < far(red, green, blue) {
		return 232 + grey
	}
	return 16 + 36*r + 6*g + b
}

// axis writes the axis of time.
func (t *Terminal) axis(w *bufio.Writer, c *Chart) {
	const apart = 16 // characters between two marks
	from, to := float64(c.timeline.From-c.first)*c.perTick, float64(c.timeline.To-c.first)*c.perTick
	a, plot := newAxis(from, to, max(t.plot()/apart, 1)), t.plot()
	ruler, texts := []rune(strings.Repeat("─", plot)), []rune(strings.Repeat(" ", plot))
	free := 0
	for _, m := range a.marks {
		x := min(int((m.at-from)/(to-from)*float64(plot)), plot-1)
		if m.text == "" || x < 0 {
			continue
		}
		ruler[x] = '┬'
		if at := min(max(x-len(m.text)/2, 0), plot-len(m.text)); at >= free {
			copy(texts[at:], []rune(m.text))
			free = at + len(m.text) + 1
		}
	}
	fmt.Fprintf(w, "%*s %s\n", t.labels, "", string(ruler))
	fmt.Fprintf(w, "%s %s\n", pad("time ["+a.unit+"]", t.labels), strings.TrimRight(string(texts), " "))
}

// legend returns the lines of the legend: the groups with most time, column by column.
func (t *Terminal) legend(c *Chart, groups []group) (lines []string) {
	var list []string
	rest := 0.0
	for i, g := range groups {
		if i >= mostLetters || g.share < minShare && i > 0 {
			rest += g.share
			continue
		}
		list = append(list, t.entry(i, g.colour, g.share, g.name))
	}
	if n := len(groups) - len(list); n > 0 {
		list = append(list, t.entry(mostLetters, others, rest, fmt.Sprintf("%d other regions", n)))
	}
	if c.idle > minShare {
		list = append(list, t.entry(noGroup, nothing, c.idle, c.restName()))
	}
	columns := max(t.width/(legendWidth+2), 1)
	rows := (len(list) + columns - 1) / columns
	for i := range rows {
		line := ""
		for j := i; j < len(list); j += rows {
			line += list[j]
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// legendWidth is the width of an entry of the legend.
const legendWidth = 37

// entry returns an entry of the legend, as wide as all of them.
func (t *Terminal) entry(g int, colour color.RGBA, share float64, name string) string {
	sign := string(letter(g))
	switch {
	case t.colours != NoColours && g == noGroup:
		sign = "  "
	case t.colours != NoColours:
		sign = t.escape(48, colour) + "  " + reset
	}
	text := fmt.Sprintf(" %5.1f %% %s", 100*share, name)
	return sign + pad(fit(text, legendWidth-2), legendWidth)
}

// fit returns the begin of a text that fits into a width, without what would move the cursor.
func fit(text string, width int) string {
	var b strings.Builder
	used, cut := 0, 0 // cut is the length of what leaves room for …
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if !unicode.IsPrint(r) {
			r = '\ufffd'
		}
		n := cells(r)
		if used+n > width {
			return b.String()[:cut] + "…"
		}
		b.WriteRune(r)
		if used += n; used < width {
			cut = b.Len()
		}
	}
	return b.String()
}

// pad fills a text up to a width.
func pad(text string, width int) string {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return text + strings.Repeat(" ", max(width-n, 0))
}

// wide are characters that take two cells of a terminal, see Unicode Standard Annex 11.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1faff, 1}, {0x20000, 0x3fffd, 1}},
}

// cells returns how many cells of a terminal a character takes.
func cells(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
