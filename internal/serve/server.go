package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pandotrace/pando/internal/serve/gate"
	"github.com/pandotrace/pando/internal/serve/viewing"
)

// Options of a Server. The zero value of a field means its default.
type Options struct {
	// Token must be sent by all clients ("Authorization: Bearer TOKEN"). Without one, requests must be for a name of this machine's
	// own loopback interface, so that no web page can ask in the name of the user who looks at it.
	Token string
	// AllowOrigins are the origins ("https://host:port") whose pages may ask from browsers. They need a token.
	AllowOrigins []string
	// MaxWindow is the longest window that is answered, in seconds of the trace (default: any).
	MaxWindow float64
	// MaxRows is the largest number of rows of a table in one answer (default 100 million).
	MaxRows int64
	// Timeout bounds the time of an answer (default 10 min), Stall the time that a client may take no bytes of it (default 10 s).
	Timeout, Stall time.Duration
	// Grace is the time without a sent byte after which a server that shuts down gives up the answers under way (default 10 s).
	Grace time.Duration
	// Memory is the budget for everything: caches, answers that are made or sent, open files (default 512 MiB, at least 64).
	Memory int64
	// CacheBytes is the part of it for decoded blocks of all files together, and for the viewer's tiles: a quarter of the part, 32 MiB at most (default: 7/32).
	CacheBytes int64
	// Log gets a line for each request, Errors what goes wrong in the server itself; nil for none. LogJSON makes each line a JSON object.
	Log, Errors io.Writer
	LogJSON     bool
}

// defaultMemory is the default of Options.Memory.
const defaultMemory = 512 << 20

func (o Options) withDefaults() Options {
	if o.MaxRows == 0 {
		o.MaxRows = 100_000_000
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Stall == 0 {
		o.Stall = 10 * time.Second
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = o.Memory / allParts * cacheParts
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Errors == nil {
		o.Errors = io.Discard
	}
	return o
}

// Check returns an error for options that cannot be.
func (o *Options) Check() error {
	if o.Memory != 0 && o.Memory < leastMemory {
		return fmt.Errorf("%d bytes of memory are too few: a server needs %d", o.Memory, int64(leastMemory))
	}
	for _, origin := range o.AllowOrigins {
		if !isOrigin(origin) {
			return fmt.Errorf("%q is no origin, as https://host:port is", origin)
		}
	}
	return nil
}

// Server answers questions about some files.
type Server struct {
	options Options
	library *library
	gates   [kinds]*gate.Gate
	sent    atomic.Int64 // bytes of all answers
	routes  []*route
	meters  map[*route]*meter // of nil: questions that there are not
	door    atomic.Pointer[door]
	begin   time.Time
	edition string
	log     *slog.Logger
	errors  *slog.Logger
	kept    viewing.Kept  // tiles of the viewer
	states  atomic.Uint64 // of files, that it was asked about
}

// keptBytes are those for tiles of the viewer, at most.
const keptBytes = 32 << 20

// New makes a server of files, and of all files NAME.pando in folders.
func New(paths []string, opt Options) (*Server, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if len(opt.AllowOrigins) > 0 && opt.Token == "" {
		return nil, errors.New("other origins are allowed only with a token")
	}
	opt = opt.withDefaults()
	opt.AllowOrigins = slices.Clone(opt.AllowOrigins)
	kept := min(keptBytes, opt.CacheBytes/4)
	l, err := newLibrary(paths, opt.CacheBytes-kept, opt.Memory/allParts*openParts)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: opt, library: l, gates: newGates(opt.Memory), begin: time.Now(), edition: edition(&opt), meters: map[*route]*meter{nil: {}},
		kept: viewing.Kept{Bytes: kept}, log: slog.New(logHandler(opt.Log, opt.LogJSON)), errors: slog.New(logHandler(opt.Errors, opt.LogJSON)),
	}
	s.routes = append(s.routes, &description)
	page, err := pageRoutes()
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	s.routes = append(s.routes, page...)
	for i := range routes {
		s.routes = append(s.routes, &routes[i])
	}
	for _, r := range s.routes {
		s.meters[r] = &meter{}
	}
	return s, nil
}

// Close closes all files. No request may be under way.
func (s *Server) Close() error { return s.library.close() }

// Serve answers requests until the context ends. Then it accepts no further requests, and returns when the ones under way are answered, or no
// byte of any answer has been sent for the time of grace.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.errors.Handler(), slog.LevelWarn), DisableGeneralOptionsHandler: true,
		ConnContext: withGuest, ConnState: guestState,
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		patience, cut := context.WithCancel(context.WithoutCancel(ctx))
		defer cut()
		ticker := time.NewTicker(s.options.Grace)
		defer ticker.Stop()
		go s.cutWhenStill(patience, ticker.C, cut)
		stopped <- errors.Join(h.Shutdown(patience), h.Close())
	})
	d := newDoor(l, s.options.Memory)
	s.door.Store(d)
	err := h.Serve(d)
	if stop() { // the context has not ended
		return errors.Join(err, h.Close())
	}
	if err = <-stopped; errors.Is(err, context.Canceled) {
		return nil // answers under way are broken off
	}
	return err
}

// cutWhenStill calls cut at the first tick between which and the tick before no byte of an answer was sent.
func (s *Server) cutWhenStill(ctx context.Context, ticks <-chan time.Time, cut func()) {
	for last := s.sent.Load(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		now := s.sent.Load()
		if now == last {
			cut()
			return
		}
		last = now
	}
}
