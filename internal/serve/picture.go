package serve

import (
	"io"
	"net/http"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace/topology"
)

// Bounds of pictures, because pictures take memory.
const (
	maxWidth     = 4096
	maxPixels    = 16384
	defaultWidth = 1600
	lineBytes    = 192 // of two bitmaps, for each column of pixels of a line
)

func (s *Server) timelinePNG(r *request) error { return s.picture(r, (*draw.Chart).PNG) }

func (s *Server) timelineSVG(r *request) error { return s.picture(r, (*draw.Chart).SVG) }

// picture draws a timeline.
func (s *Server) picture(r *request, write func(*draw.Chart, io.Writer, int) error) error {
	width, err := r.number("width", defaultWidth, draw.MinWidth, maxWidth)
	if err != nil {
		return err
	}
	w, by, err := s.chartWindow(r)
	if err != nil {
		return err
	}
	need := chartWork(w, int(width))
	need.bytes = max(smallBytes+1, int64(width)*int64(min(w.lines, draw.AtOnce)+2)*lineBytes)
	if err := r.needs(need); err != nil {
		return err
	}
	chart, err := draw.NewPicture(r.reader(), w.Window, int(width), by)
	if err != nil {
		return err
	}
	chart.Title = r.book.name
	return r.stream(func(out io.Writer) error { return write(chart, out, int(width)) })
}

func (s *Server) timelineJSON(r *request) error {
	pixels, err := r.number("pixels", 1000, 1, maxPixels)
	if err != nil {
		return err
	}
	w, by, err := s.chartWindow(r)
	if err != nil {
		return err
	}
	if w.lines > draw.MaxRows {
		return &failure{http.StatusRequestEntityTooLarge, "too many locations for the data of a timeline: choose some"}
	}
	if err := r.needs(chartWork(w, int(pixels))); err != nil {
		return err
	}
	chart, err := draw.New(r.reader(), w.Window, int(pixels), by)
	if err != nil {
		return err
	}
	chart.Title = r.book.name
	return r.stream(func(w io.Writer) error { return report.WriteTimeline(w, r.trace, chart) })
}

// chartWindow returns the window of a question for a timeline, and the places whose order its locations have, nil for the order of definition.
func (s *Server) chartWindow(r *request) (w window, by *topology.Places, err error) {
	if w, err = s.window(r); err != nil {
		return w, nil, err
	}
	if w.from == w.to {
		return w, nil, bad("the window is empty")
	}
	how, err := r.text("order")
	if err != nil {
		return w, nil, err
	}
	if by, err = topology.Ordered(r.trace.Names().Definitions(), how); err != nil {
		err = bad("order=%s: %v", how, err)
	}
	return w, by, err
}
