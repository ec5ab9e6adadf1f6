package serve

import (
	"io"
	"log/slog"
	"net/http"
	"time"
)

// logHandler returns the handler of a log: a line of text or a JSON object for each record.
func logHandler(to io.Writer, inJSON bool) slog.Handler {
	if inJSON {
		return slog.NewJSONHandler(to, nil)
	}
	return slog.NewTextHandler(to, nil)
}

// ended counts and logs a request that has been answered.
func (s *Server) ended(route *route, p *patient, r *http.Request, took time.Duration) {
	s.meters[route].count(p, took)
	path := ""
	if route != nil {
		path = route.path
	}
	line := []slog.Attr{
		slog.String("client", r.RemoteAddr), slog.String("method", r.Method), slog.String("path", r.URL.RequestURI()), slog.String("route", path),
		slog.Int("status", p.status), slog.Int64("bytes", p.bytes), s.duration("took", took), s.duration("waited", p.waited),
	}
	if p.broken {
		line = append(line, slog.Bool("broken", true))
	}
	s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
}

// duration is a length of time: 1.5ms in a text, duration_ns or waited_ns with a number in an object.
func (s *Server) duration(name string, d time.Duration) slog.Attr {
	switch {
	case !s.options.LogJSON:
		return slog.Duration(name, d.Round(time.Microsecond))
	case name == "took":
		name = "duration"
	}
	return slog.Int64(name+"_ns", d.Nanoseconds())
}
