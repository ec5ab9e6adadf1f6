package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"
)

// Options of a Server. The zero value of a field means its default.
type Options struct {
	// Token must be sent by all clients ("Authorization: Bearer TOKEN"). Without one, requests must be for a name of this machine's
	// own loopback interface, so that no web page can ask in the name of the user who looks at it.
	Token string
	// MaxWindow is the longest window that is answered, in seconds of the trace (default: any).
	MaxWindow float64
	// MaxRows is the largest number of rows of a table in one answer (default 100 million).
	MaxRows int64
	// Timeout bounds the time of an answer (default 10 min), Stall the time that a client may take no bytes of it (default 30 s).
	Timeout, Stall time.Duration
	// Concurrent is the number of answers that are worked on at once (default: 4 for each processor, at least 16); others wait, at
	// most for the time of Stall.
	Concurrent int
	// CacheBytes is the budget for decoded blocks of each open file (default 64 MiB).
	CacheBytes int64
	// Log gets a line for each request; nil for none.
	Log io.Writer
}

func (o Options) withDefaults() Options {
	if o.MaxRows == 0 {
		o.MaxRows = 100_000_000
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Concurrent == 0 {
		o.Concurrent = max(16, 4*runtime.GOMAXPROCS(0))
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	return o
}

// Server answers questions about some files.
type Server struct {
	options Options
	library *library
	places  chan struct{} // an answer that is worked on holds one
	log     *slog.Logger
	handler http.Handler
}

// New makes a server of files, and of all files NAME.pando in folders.
func New(paths []string, opt Options) (*Server, error) {
	opt = opt.withDefaults()
	l, err := newLibrary(paths, opt.CacheBytes)
	if err != nil {
		return nil, err
	}
	s := &Server{options: opt, library: l, places: make(chan struct{}, opt.Concurrent), log: slog.New(slog.NewTextHandler(opt.Log, nil))}
	mux := http.NewServeMux()
	mux.Handle("GET "+description.path, s.answering(&description))
	for i := range routes {
		mux.Handle("GET "+routes[i].path, s.answering(&routes[i]))
	}
	s.handler = s.guarded(mux)
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close closes all files. No request may be under way.
func (s *Server) Close() error { return s.library.close() }

// grace is how long answers that are under way may take when the server is told to stop.
const grace = 10 * time.Second

// Serve answers requests until the context ends. Then it takes no further ones, and returns when those under way are answered, or
// have had their time of grace.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		stopped <- errors.Join(h.Shutdown(patience), h.Close())
	})
	err := h.Serve(l)
	if stop() { // it was not told to stop
		return errors.Join(err, h.Close())
	}
	if err = <-stopped; errors.Is(err, context.DeadlineExceeded) {
		return nil // those that were under way are cut off
	}
	return err
}
