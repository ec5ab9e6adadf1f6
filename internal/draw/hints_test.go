package draw

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// hinted is a canvas that keeps nothing but hints.
type hinted struct {
	boxes [][4]float64
	texts []string
}

func (h *hinted) rect(x, y, w, height float64, c color.RGBA)                      {}
func (h *hinted) line(x1, y1, x2, y2, width float64, c color.RGBA)                {}
func (h *hinted) text(x, y float64, s style, a anchor, c color.RGBA, text string) {}
func (h *hinted) hintLine(x1, y1, x2, y2 float64, text string)                    {}
func (h *hinted) quad(x1, x2, y1, x3, x4, y2 float64, c color.RGBA)               {}
func (h *hinted) image(x, y, scale int, img *image.RGBA)                          {}
func (h *hinted) hint(x, y, w, height float64, text string) {
	h.boxes, h.texts = append(h.boxes, [4]float64{x, y, w, height}), append(h.texts, text)
}

// The hints of a row cover it without gaps, and name the shares that a summary of the same time has.
func TestHints(t *testing.T) {
	r := open(t, "otf2.mg.S.8.snapmark")
	c := chart(t, r, 0.97, 0.99, 700)
	h := &hinted{}
	l := c.layout(700)
	c.hints(h, l)
	parts := len(h.texts) / len(c.Rows)
	if parts < 20 {
		t.Fatalf("%d hints for %d rows", len(h.texts), len(c.Rows))
	}
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for i, text := range h.texts {
		row, part := i/parts, i%parts
		if end := h.boxes[i][0] + h.boxes[i][2]; part < parts-1 && math.Abs(end-h.boxes[i+1][0]) > 1e-6 || part == parts-1 && math.Abs(end-700+rightMargin) > 1e-6 {
			t.Fatalf("hint %d of row %d ends at %g", part, row, end)
		}
		from, _ := c.timeline.Pixel(c.timeline.Pixels * part / parts)
		_, to := c.timeline.Pixel(c.timeline.Pixels*(part+1)/parts - 1)
		lines := strings.Split(text, "\n")[1:]
		want := shares(t, r, d, c.Rows[row].Location, from, to)
		for _, line := range lines {
			var share float64
			if n, _ := fmt.Sscanf(line, "%f %%", &share); n == 0 {
				continue
			}
			_, name, _ := strings.Cut(line, "% ")
			if math.Abs(share-want[name]) > 0.051 {
				t.Errorf("row %d, %d to %d: %q, want %.2f %%", row, from, to, line, want[name])
			}
			named++
		}
		if len(lines) == 1 && lines[0] == "no call" && len(want) > 0 {
			t.Errorf("row %d, %d to %d: no call, want %v", row, from, to, want)
		}
	}
	if named < 2*len(h.texts)/3 {
		t.Errorf("%d hints name %d regions", len(h.texts), named)
	}
}

// shares returns the percentage of the time of a location that each region has.
func shares(t *testing.T, r *store.Reader, d *trace.Definitions, location uint64, from, to int64) map[string]float64 {
	t.Helper()
	s, err := r.Window(from, to).WithLocations(location).Summary(store.SummaryCalls)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]float64{}
	for _, c := range s.Calls {
		if c.Exclusive.Float() > 0 {
			of[plainName(d.Name(trace.SpaceRegion, c.Region))] += 100 * c.Exclusive.Float() / float64(to-from)
		}
	}
	return of
}

// A picture of part of a trace says which part it is.
func TestExtent(t *testing.T) {
	r := open(t, "otf2.mg.S.8.snapmark")
	if c := chart(t, r, 0, 1, 700); !strings.Contains(c.Subtitle, "the whole trace, 8 locations") {
		t.Error(c.Subtitle)
	}
	c := chart(t, r, 0.5, 0.6, 700)
	from, to := c.at(c.timeline.From), c.at(c.timeline.To)
	if from == to || !strings.HasPrefix(c.Subtitle, from+" to "+to+": ") || !strings.Contains(c.Subtitle, " of ") {
		t.Error(c.Subtitle)
	}
}

// By activity, regions share colours, and the legend has the activities with their shares.
func TestColourByActivity(t *testing.T) {
	r := open(t, "otf2.mg.S.8.snapmark")
	c := chart(t, r, 0, 1, 700)
	of := map[string]float64{}
	for _, region := range c.Regions {
		of[region.Activity.String()] += region.Share
	}
	before := len(c.legend())
	c.ColourByActivity()
	colours := map[color.RGBA]trace.Activity{}
	for _, region := range c.Regions {
		if a, ok := colours[region.Colour]; ok && a != region.Activity {
			t.Errorf("%s and %s have one colour", a, region.Activity)
		}
		colours[region.Colour] = region.Activity
	}
	list := c.legend()
	for _, e := range list {
		if want, ok := of[e.name]; ok && e.amount != percent(want) {
			t.Errorf("%s has %s, want %g", e.name, e.amount, want)
		}
	}
	if len(colours) != len(of) || len(list) >= before || len(of) < 2 {
		t.Errorf("%d colours, %d activities, %d entries instead of %d", len(colours), len(of), len(list), before)
	}
}
