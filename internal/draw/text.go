package draw

import (
	"image"
	"math"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// style is a size of text, in pixels, and a weight.
type style struct {
	size float64
	bold bool
}

// faces are fonts that are ready for use, with glyphs that are drawn already. They are not safe for concurrent use.
type faces map[style]*face

// face is a font of a size.
type face struct {
	font.Face
	drawn    map[glyphKey]glyph
	advances map[rune]fixed.Int26_6
}

// glyphKey is a letter, and the part of a pixel at which it begins, in quarters.
type glyphKey struct {
	letter  rune
	quarter int
}

// glyph is a letter as pixels, which begin at a place relative to the letter's.
type glyph struct {
	mask *image.Alpha
	at   image.Point
}

var fonts = sync.OnceValue(func() (f [2]*opentype.Font) {
	for i, data := range [][]byte{goregular.TTF, gobold.TTF} {
		parsed, err := opentype.Parse(data)
		if err != nil {
			panic(err) // they are part of the program
		}
		f[i] = parsed
	}
	return f
})

func (f faces) face(s style) *face {
	if known, ok := f[s]; ok {
		return known
	}
	of := fonts()[0]
	if s.bold {
		of = fonts()[1]
	}
	made, err := opentype.NewFace(of, &opentype.FaceOptions{Size: s.size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // the options are ours
	}
	f[s] = &face{made, map[glyphKey]glyph{}, map[rune]fixed.Int26_6{}}
	return f[s]
}

// advance returns how far a letter moves the next one.
func (f *face) advance(r rune) fixed.Int26_6 {
	a, ok := f.advances[r]
	if !ok {
		if a, ok = f.GlyphAdvance(r); !ok {
			a, _ = f.GlyphAdvance(unicode.ReplacementChar)
		}
		f.advances[r] = a
	}
	return a
}

// glyph draws a letter, or takes one that was drawn.
func (f *face) glyph(k glyphKey) glyph {
	if g, ok := f.drawn[k]; ok {
		return g
	}
	var g glyph
	box, mask, from, _, ok := f.Glyph(fixed.Point26_6{X: fixed.Int26_6(k.quarter * 16)}, k.letter)
	if !ok {
		box, mask, from, _, ok = f.Glyph(fixed.Point26_6{X: fixed.Int26_6(k.quarter * 16)}, unicode.ReplacementChar)
	}
	if ok && !box.Empty() {
		g = glyph{image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy())), box.Min}
		for y := range box.Dy() {
			for x := range box.Dx() {
				g.mask.Set(x, y, mask.At(from.X+x, from.Y+y))
			}
		}
	}
	f.drawn[k] = g
	return g
}

// glyphs calls do with the pixels of each letter of a text whose base line begins at a point.
func (f faces) glyphs(s style, x, y float64, text string, do func(at image.Point, mask *image.Alpha)) {
	face, base := f.face(s), int(math.Round(y))
	dot := fixed.Int26_6(x*64 + 8)
	for _, r := range text {
		whole := dot.Floor()
		if g := face.glyph(glyphKey{r, int(dot-fixed.I(whole)) / 16}); g.mask != nil {
			do(g.at.Add(image.Pt(whole, base)), g.mask)
		}
		dot += face.advance(r)
	}
}

// width returns the width of a text in pixels.
func (f faces) width(s style, text string) float64 {
	face, all := f.face(s), fixed.Int26_6(0)
	for _, r := range text {
		all += face.advance(r)
	}
	return float64(all) / 64
}

// fit shortens a text to a width.
func (f faces) fit(s style, text string, width float64) string {
	text = head(text, 8192) // it ends before
	if f.width(s, text) <= width {
		return text
	}
	face, room := f.face(s), fixed.Int26_6(width*64)-f.face(s).advance('…')
	for i, r := range text {
		if room -= face.advance(r); room < 0 && i > 0 {
			return text[:i] + "…"
		}
	}
	return text
}
