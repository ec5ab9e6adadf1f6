package browsertest

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/serve"
)

// TestPicture makes the picture of the README, of 20 ms of a heat equation on 16 ranks. It is written where PANDO_PICTURE says; without, the test
// only makes sure that the picture can be made.
func TestPicture(t *testing.T) {
	folder := os.Getenv("PANDO_TRACES")
	archive := filepath.Join(folder, "otf2.planted.heat.a.tar.zst")
	if _, err := os.Stat(archive); folder == "" || err != nil {
		t.Skip("PANDO_TRACES has no otf2.planted.heat.a.tar.zst")
	}
	found, err := convert.Find(t.Context(), archive, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	file := filepath.Join(t.TempDir(), "heat.pando")
	if _, err := convert.OutputAt(file).Write(t.Context(), found, file, convert.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New([]string{file}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := httptest.NewServer(s)
	defer h.Close()
	b := browse(t, h.URL)
	b.run(t, chromedp.EmulateViewport(1280, 640))
	b.open(t, strings.Replace(part(h.URL, 1_321_000_000, 1_341_000_000, "&rows=l0&panel=flame"), "=run", "=heat", 1))
	var picture []byte
	b.run(t, chromedp.CaptureScreenshot(&picture))
	drawn, err := png.Decode(bytes.NewReader(picture))
	if err != nil || drawn.Bounds().Dx() != 1280 {
		t.Fatal(err, drawn.Bounds())
	}
	if to := os.Getenv("PANDO_PICTURE"); to != "" {
		var small bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(drawn)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, small.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.sound(t)
}

// fewColours returns a picture with the 256 colours that are most frequent in it, so that its file is half as large.
func fewColours(picture image.Image) image.Image {
	counts, box := map[color.Color]int{}, picture.Bounds()
	each := func(do func(x, y int, c color.Color)) {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				do(x, y, picture.At(x, y))
			}
		}
	}
	each(func(_, _ int, c color.Color) { counts[c]++ })
	colours := slices.Collect(maps.Keys(counts))
	slices.SortFunc(colours, func(a, b color.Color) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	few := color.Palette(colours[:min(256, len(colours))])
	nearest, out := map[color.Color]uint8{}, image.NewPaletted(box, few)
	each(func(x, y int, c color.Color) {
		i, ok := nearest[c]
		if !ok {
			i = uint8(few.Index(c))
			nearest[c] = i
		}
		out.SetColorIndex(x, y, i)
	})
	return out
}
