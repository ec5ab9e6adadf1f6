package serve

import (
	"io"
	"net/http"

	"github.com/pandotrace/pando/internal/draw"
)

// Bounds of pictures: what is drawn takes memory.
const (
	maxWidth     = 4096
	maxPixels    = 16384
	defaultWidth = 1600
)

func (s *Server) timelinePNG(r *request) error { return s.picture(r, (*draw.Chart).PNG) }

func (s *Server) timelineSVG(r *request) error { return s.picture(r, (*draw.Chart).SVG) }

// picture draws a timeline.
func (s *Server) picture(r *request, write func(*draw.Chart, io.Writer, int) error) error {
	width, err := r.number("width", defaultWidth, draw.MinWidth, maxWidth)
	if err != nil {
		return err
	}
	chart, w, err := s.chart(r, draw.Pixels(int(width)))
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
	chart, _, err := s.chart(r, int(pixels))
	if err != nil {
		return err
	}
	return r.stream(chart.JSON)
}

// chart reads the timeline of the window that is asked about.
func (s *Server) chart(r *request, pixels int) (*draw.Chart, window, error) {
	w, err := s.window(r)
	if err != nil {
		return nil, w, err
	}
	if w.from == w.to {
		return nil, w, bad("the window is empty")
	}
	locations := len(r.book.reader.Info().Locations)
	if w.locations != nil {
		locations = len(w.locations)
	}
	if locations > draw.MaxRows {
		return nil, w, &failure{http.StatusRequestEntityTooLarge, "too many locations for a picture: choose some"}
	}
	chart, err := draw.New(r.book.reader, w.Window, pixels)
	if err == nil {
		chart.Title = r.book.name
	}
	return chart, w, err
}
