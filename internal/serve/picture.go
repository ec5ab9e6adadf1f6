package serve

import (
	"io"
	"net/http"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
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
	chart, w, err := s.chart(r, draw.Pixels(int(width)), func(w window) work {
		need := chartWork(w, int(width))
		need.bytes = max(smallBytes+1, int64(width)*int64(w.lines+2)*lineBytes)
		return need
	})
	if err == nil {
		err = chart.AddMessages(w.Window)
	}
	if err != nil {
		return err
	}
	return r.stream(func(out io.Writer) error { return write(chart, out, int(width)) })
}

func (s *Server) timelineJSON(r *request) error {
	pixels, err := r.number("pixels", 1000, 1, maxPixels)
	if err != nil {
		return err
	}
	chart, _, err := s.chart(r, int(pixels), func(w window) work { return chartWork(w, int(pixels)) })
	if err != nil {
		return err
	}
	return r.stream(func(w io.Writer) error { return report.WriteTimeline(w, r.trace, chart) })
}

// chart returns the timeline of the question's window.
func (s *Server) chart(r *request, pixels int, needs func(window) work) (*draw.Chart, window, error) {
	w, err := s.window(r)
	if err != nil {
		return nil, w, err
	}
	if w.from == w.to {
		return nil, w, bad("the window is empty")
	}
	if w.lines > draw.MaxRows {
		return nil, w, &failure{http.StatusRequestEntityTooLarge, "too many locations for a picture: choose some"}
	}
	if err := r.needs(needs(w)); err != nil {
		return nil, w, err
	}
	chart, err := draw.New(r.reader(), w.Window, pixels)
	if err == nil {
		chart.Title = r.book.name
	}
	return chart, w, err
}
