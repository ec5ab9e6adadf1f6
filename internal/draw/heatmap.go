package draw

import (
	"fmt"
	"image"
	"io"
	"math"
	"strings"
)

// Heatmap is a picture of a table of numbers: each cell has a colour. Tables with more rows or columns than pixels are to be made coarser
// by who makes them: only they know how values of neighbours add up.
type Heatmap struct {
	Title, Subtitle string
	// Rows are named from top to bottom, Columns from left to right. Of names that do not fit, some are left out.
	Rows, Columns []string
	// RowsAre and ColumnsAre say what rows and columns are: "sender", "receiver".
	RowsAre, ColumnsAre string
	// Times are the borders of the columns in seconds, one more than there are columns, if they are intervals of equal length. They have
	// an axis of time instead of names.
	Times []float64
	// Values are the cells row by row. NaN has no colour.
	Values []float64
	// ValuesAre says what the values are, with their unit: "bytes sent".
	ValuesAre string
	Scale     Scale
	// Text writes a value with its unit, nil for four digits.
	Text func(v float64) string
	// Hint says more about a cell, nil for nothing.
	Hint func(row, column int) string
	// Square asks for cells that are as wide as high.
	Square bool
}

// MaxCells is the largest number of rows or columns of a heat map.
const MaxCells = 4096

// heatLayout says where the parts of a heat map are, in pixels.
type heatLayout struct {
	width, height  int
	left, top      int
	cellW, cellH   float64
	right, bottom  int // of the cells
	scaleTop       int
	faces          faces
	scale          colourScale
	rows, columns  []string // names without what all have in common
	rowsAre, colsA string
}

// Bounds of the size of cells, in pixels.
const (
	widestCell = 40
	mapHeight  = 640
	scaleWidth = 320
	// mostCellHints is the number of cells up to which each has a hint.
	mostCellHints = 20_000
)

// check finds fault with the sizes of the map.
func (h *Heatmap) check() error {
	switch n := len(h.Rows) * len(h.Columns); {
	case len(h.Rows) > MaxCells || len(h.Columns) > MaxCells:
		return fmt.Errorf("draw: a heat map of %d by %d cells is larger than %d by %d", len(h.Rows), len(h.Columns), MaxCells, MaxCells)
	case len(h.Values) != n:
		return fmt.Errorf("draw: a heat map of %d by %d cells has %d values", len(h.Rows), len(h.Columns), len(h.Values))
	case h.Times != nil && len(h.Times) != len(h.Columns)+1:
		return fmt.Errorf("draw: %d columns have %d borders", len(h.Columns), len(h.Times))
	}
	return nil
}

// PNG writes the picture as PNG of a width.
func (h *Heatmap) PNG(w io.Writer, width int) error {
	if err := h.check(); err != nil {
		return err
	}
	l := h.layout(width)
	return writePNG(w, l.width, l.height, func(to canvas) { h.draw(to, l) })
}

// SVG writes the picture as SVG of a width.
func (h *Heatmap) SVG(w io.Writer, width int) error {
	if err := h.check(); err != nil {
		return err
	}
	l := h.layout(width)
	return writeSVG(w, l.width, l.height, h.Title, func(to canvas) { h.draw(to, l) })
}

func (h *Heatmap) layout(width int) *heatLayout {
	l := &heatLayout{width: width, left: leftMargin, top: topMargin + 30, faces: faces{}, scale: newScale(h.Scale, h.Values)}
	l.rows, l.rowsAre = shortNames(h.Rows, h.RowsAre)
	l.columns, l.colsA = shortNames(h.Columns, h.ColumnsAre)
	rows, columns := max(len(h.Rows), 1), max(len(h.Columns), 1)
	l.cellW, l.cellH = float64(width-l.left-rightMargin)/float64(columns), whole(mapHeight/float64(rows))
	l.cellH = min(l.cellH, widestCell)
	if h.Square {
		l.cellW = min(whole(l.cellW), l.cellH, widestCell)
		l.cellH = l.cellW
	}
	l.right, l.bottom = l.left+int(math.Ceil(l.cellW*float64(columns))), l.top+int(math.Ceil(l.cellH*float64(rows)))
	l.width = max(l.width, l.right+rightMargin)
	l.scaleTop = l.bottom + 24
	if h.Times != nil {
		l.top, l.bottom, l.scaleTop = l.top-10, l.bottom-10, l.bottom+axisHeight+8
	}
	l.height = l.scaleTop + 58
	return l
}

// whole rounds the size of a cell down to pixels; of a cell that is smaller than a pixel, up.
func whole(v float64) float64 { return max(math.Floor(v), 1) }

// shortNames takes the word that all names begin with ("rank 3") out of them, and into the title.
func shortNames(names []string, are string) (list []string, title string) {
	if len(names) < 2 {
		return names, are
	}
	word, _, ok := strings.Cut(names[0], " ")
	for _, name := range names {
		first, rest, has := strings.Cut(name, " ")
		ok = ok && has && rest != "" && strings.TrimSuffix(first, "s") == strings.TrimSuffix(word, "s")
	}
	if !ok {
		return names, are
	}
	for _, name := range names {
		_, rest, _ := strings.Cut(name, " ")
		list = append(list, rest)
	}
	if are == "" {
		return list, strings.TrimSuffix(word, "s")
	}
	return list, are + " (" + strings.TrimSuffix(word, "s") + ")"
}

func (h *Heatmap) draw(to canvas, l *heatLayout) {
	drawHeader(to, l.faces, l.width, h.Title, h.Subtitle, l.height)
	h.cells(to, l)
	h.frame(to, l)
	h.rowNames(to, l)
	if h.Times != nil {
		h.times(to, l)
	} else {
		h.columnNames(to, l)
	}
	h.legend(to, l)
	h.hints(to, l)
}

// cells draws the cells: as an image where they are squares or many, which is the same in all kinds of pictures.
func (h *Heatmap) cells(to canvas, l *heatLayout) {
	columns := len(h.Columns)
	if len(h.Values) == 0 {
		return
	}
	if _, vector := to.(*svg); l.cellW == l.cellH && (!vector || len(h.Values) > manyBands) {
		img := image.NewRGBA(image.Rect(0, 0, columns, len(h.Rows)))
		for i, v := range h.Values {
			img.SetRGBA(i%columns, i/columns, l.scale.colour(v))
		}
		to.image(l.left, l.top, int(l.cellW), img)
		return
	}
	for row := range h.Rows {
		y := float64(l.top) + l.cellH*float64(row)
		for first, end := 0, 0; first < columns; first = end { // cells of one colour are one rectangle
			c := l.scale.colour(h.Values[row*columns+first])
			for end = first + 1; end < columns && l.scale.colour(h.Values[row*columns+end]) == c; end++ {
			}
			x1, x2 := math.Round(l.cellW*float64(first)), math.Round(l.cellW*float64(end))
			if x2 > x1 {
				to.rect(float64(l.left)+x1, y, x2-x1, l.cellH, c)
			}
		}
	}
}

// frame draws a line around the cells, and lines between large ones.
func (h *Heatmap) frame(to canvas, l *heatLayout) {
	left, top, right, bottom := float64(l.left), float64(l.top), float64(l.right), float64(l.bottom)
	if l.cellH >= 8 {
		for row := 1; row < len(h.Rows); row++ {
			to.rect(left, top+l.cellH*float64(row)-1, right-left, 1, paper)
		}
	}
	if l.cellW >= 8 {
		for column := 1; column < len(h.Columns); column++ {
			to.rect(left+math.Round(l.cellW*float64(column))-1, top, 1, bottom-top, paper)
		}
	}
	to.line(left-0.5, top-0.5, right+0.5, top-0.5, 1, grey)
	to.line(left-0.5, bottom+0.5, right+0.5, bottom+0.5, 1, grey)
	to.line(left-0.5, top-0.5, left-0.5, bottom+0.5, 1, grey)
	to.line(right+0.5, top-0.5, right+0.5, bottom+0.5, 1, grey)
}

// stride returns for each how many rows or columns a name is written: 1, 2, 5 or so.
func stride(room, cell float64) int {
	if room <= cell {
		return 1
	}
	step, _ := niceStep(room / cell)
	return int(math.Ceil(step))
}

func (h *Heatmap) rowNames(to canvas, l *heatLayout) {
	to.text(16, float64(l.top)-8, textStyle, toStart, grey, l.faces.fit(textStyle, l.rowsAre, float64(l.left-32)))
	every := stride(17, l.cellH)
	for i := 0; i < len(l.rows); i += every {
		y := float64(l.top) + l.cellH*(float64(i)+0.5) + 4.5
		to.text(float64(l.left-8), max(y, float64(l.top+9)), textStyle, toEnd, ink, l.faces.fit(textStyle, l.rows[i], float64(l.left-22)))
	}
}

// columnNames writes the names above the columns, as many as have room.
func (h *Heatmap) columnNames(to canvas, l *heatLayout) {
	to.text(float64(l.left), float64(l.top)-25, textStyle, toStart, grey, l.faces.fit(textStyle, l.colsA, float64(l.width-l.left-rightMargin)))
	widest := 0.0
	for _, name := range l.columns {
		widest = max(widest, min(l.faces.width(textStyle, head(name, 200)), 110))
	}
	every := stride(widest+8, l.cellW)
	for i := 0; i < len(l.columns); i += every {
		name := l.faces.fit(textStyle, l.columns[i], 110)
		half := l.faces.width(textStyle, name) / 2
		x := float64(l.left) + l.cellW*(float64(i)+0.5)
		to.text(min(x, float64(l.width)-half-4), float64(l.top)-8, textStyle, toMiddle, ink, name)
	}
}

// times draws the axis of time below the columns.
func (h *Heatmap) times(to canvas, l *heatLayout) {
	from, end := h.Times[0], h.Times[len(h.Times)-1]
	a := newAxis(from, end, (l.right-l.left)/110)
	a.draw(to, l.faces, func(s float64) float64 { return float64(l.left) + (s-from)/(end-from)*float64(l.right-l.left) }, l.bottom+2, l.width)
}

// text writes a value.
func (h *Heatmap) text(v float64) string {
	if h.Text != nil {
		return h.Text(v)
	}
	return plain(v)
}

// legend draws the scale of colours.
func (h *Heatmap) legend(to canvas, l *heatLayout) {
	x, y := float64(l.left), float64(l.scaleTop)
	to.text(x-14, y+12, textStyle, toEnd, ink, l.faces.fit(textStyle, h.ValuesAre, x-28))
	if l.scale.empty {
		to.text(x, y+12, textStyle, toStart, grey, "no values")
		return
	}
	for i := range scaleWidth / 2 {
		to.rect(x+2*float64(i), y, 2, 15, l.scale.ramp(float64(i)/(scaleWidth/2-1)))
	}
	edge := x - 40
	for _, v := range l.scale.marks(4) {
		share, _ := l.scale.at(v)
		text := h.text(v)
		at, half := x+share*scaleWidth, l.faces.width(textStyle, text)/2
		to.line(math.Round(at), y+15, math.Round(at), y+20, 1, ink)
		if at-half >= edge {
			to.text(at, y+35, textStyle, toMiddle, ink, text)
			edge = at + half + 8
		}
	}
	to.rect(x+scaleWidth+40, y, 15, 15, grey)
	to.rect(x+scaleWidth+41, y+1, 13, 13, nothing)
	to.text(x+scaleWidth+62, y+12, textStyle, toStart, ink, "none")
	if h.Scale == Log {
		to.text(x+scaleWidth+112, y+12, textStyle, toStart, grey, "logarithmic scale")
	}
}

// hints adds a hint to each cell, or to none if they are too many.
func (h *Heatmap) hints(to canvas, l *heatLayout) {
	coloured := 0
	for _, v := range h.Values {
		if !math.IsNaN(v) {
			coloured++
		}
	}
	if _, none := to.(*bitmap); none || coloured > mostCellHints {
		return
	}
	columns := len(h.Columns)
	for i, v := range h.Values {
		row, column := i/columns, i%columns
		if math.IsNaN(v) {
			continue
		}
		x1, x2 := math.Round(l.cellW*float64(column)), math.Round(l.cellW*float64(column+1))
		to.hint(float64(l.left)+x1, float64(l.top)+l.cellH*float64(row), x2-x1, l.cellH, h.hint(row, column, v))
	}
}

// hint says what a cell is, and its value.
func (h *Heatmap) hint(row, column int, v float64) string {
	where := func(are, name string) string { return strings.TrimSpace(are + " " + brief(name)) }
	text := where(h.RowsAre, h.Rows[row]) + "\n" + where(h.ColumnsAre, h.Columns[column])
	if h.Times != nil {
		text = where(h.RowsAre, h.Rows[row]) + "\n" + seconds(h.Times[column]) + " to " + seconds(h.Times[column+1])
	}
	text += "\n" + strings.TrimSpace(h.text(v)+" "+h.ValuesAre)
	if h.Hint != nil {
		text += "\n" + h.Hint(row, column)
	}
	return text
}
