package browsertest

import (
	"bytes"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/serve"
)

// TestPicture makes the picture of the README, of LULESH on 8 ranks with 4 threads each. It is written where PANDO_PICTURE says; without, the test
// only makes sure that the picture can be made.
func TestPicture(t *testing.T) {
	folder := os.Getenv("PANDO_TRACES")
	archive := filepath.Join(folder, "otf2.lulesh.8x4omp.tar.zst")
	if _, err := os.Stat(archive); folder == "" || err != nil {
		t.Skip("PANDO_TRACES has no otf2.lulesh.8x4omp.tar.zst")
	}
	found, err := convert.Find(t.Context(), archive, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	file := filepath.Join(t.TempDir(), "lulesh.pando")
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
	b.run(t, chromedp.EmulateViewport(1100, 640))
	b.open(t, strings.Replace(part(h.URL, 460_000_000, 520_000_000, "&rows=l0&at=0,500000000&panel=flame"), "=run", "=lulesh", 1))
	var picture []byte
	b.run(t, chromedp.CaptureScreenshot(&picture))
	image, err := png.Decode(bytes.NewReader(picture))
	if err != nil || image.Bounds().Dx() != 1100 {
		t.Fatal(err, image.Bounds())
	}
	if to := os.Getenv("PANDO_PICTURE"); to != "" {
		if err := os.WriteFile(to, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.sound(t)
}
