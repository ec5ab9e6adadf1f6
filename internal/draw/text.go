package draw

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// style is a size of text, in pixels, and a weight.
type style struct {
	size float64
	bold bool
}

// faces are fonts that are ready for use. A face is not safe for concurrent use.
type faces map[style]font.Face

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

func (f faces) face(s style) font.Face {
	if face, ok := f[s]; ok {
		return face
	}
	of := fonts()[0]
	if s.bold {
		of = fonts()[1]
	}
	face, err := opentype.NewFace(of, &opentype.FaceOptions{Size: s.size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // the options are ours
	}
	f[s] = face
	return face
}

// width returns the width of a text in pixels.
func (f faces) width(s style, text string) float64 {
	return float64(font.MeasureString(f.face(s), text)) / 64
}

// fit shortens a text to a width.
func (f faces) fit(s style, text string, width float64) string {
	if f.width(s, text) <= width {
		return text
	}
	r := []rune(text)
	for len(r) > 1 && f.width(s, string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
