package serve

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pandotrace/pando/convert/columnar"
)

// failure is an error that the client is told, with the status of its answer.
type failure struct {
	status int
	text   string
}

// Error implements error.
func (f *failure) Error() string { return f.text }

func bad(format string, args ...any) error {
	return &failure{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &failure{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// statusOf returns the status that an error has. What is no fault of the client's is one of the file or the server.
func statusOf(err error) int {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, columnar.ErrTooManyRows):
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusInternalServerError
}

// patient is a writer that gives a client that takes no bytes up after some time. It counts what was written.
type patient struct {
	http.ResponseWriter
	stall  time.Duration
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (p *patient) WriteHeader(status int) {
	if p.status == 0 {
		p.status = status
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (p *patient) Write(b []byte) (int, error) {
	if p.status == 0 {
		p.status = http.StatusOK
	}
	if err := p.extend(); err != nil {
		return 0, err
	}
	n, err := p.ResponseWriter.Write(b)
	p.bytes += int64(n)
	return n, err
}

// extend gives the client time to take what is written next.
func (p *patient) extend() error {
	err := http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.stall))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // in tests without a connection
	}
	return err
}

// guarded lets those in who may ask, and keeps the access log.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &patient{ResponseWriter: w, stall: s.options.Stall}
		begin := time.Now()
		defer func() {
			s.log.Info("request", slog.String("client", r.RemoteAddr), slog.String("method", r.Method), slog.String("path", r.URL.RequestURI()),
				slog.Int("status", p.status), slog.Int64("bytes", p.bytes), slog.Duration("took", time.Since(begin).Round(time.Microsecond)))
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		err := p.extend()
		if err == nil {
			err = s.admit(r)
		}
		if err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(p, err)
			return
		}
		next.ServeHTTP(p, r)
	})
}

// admit refuses those who may not ask.
func (s *Server) admit(r *http.Request) error {
	if s.options.Token != "" {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.options.Token)) == 1 {
			return nil
		}
		return &failure{http.StatusUnauthorized, "a token is needed: Authorization: Bearer TOKEN"}
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if IsLoopback(host) {
		return nil
	}
	return &failure{http.StatusForbidden, "without a token, only requests for localhost are answered"}
}

// IsLoopback reports whether a host is this machine by its loopback interface.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// enter waits for a place among the answers that are worked on.
func (s *Server) enter(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(s.options.Stall)
	defer timer.Stop()
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, &failure{http.StatusServiceUnavailable, "too many requests are being answered"}
	}
}

// fail tells the client what went wrong; if part of an answer has been sent, it breaks the connection off, so that nobody takes that for
// all of it.
func fail(p *patient, err error) {
	if p.status != 0 {
		panic(http.ErrAbortHandler)
	}
	status := statusOf(err)
	h := p.Header()
	for _, name := range []string{"Content-Length", "Content-Disposition", "ETag", "Last-Modified"} {
		h.Del(name)
	}
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/json")
	p.WriteHeader(status)
	_ = json.NewEncoder(p).Encode(map[string]string{"error": err.Error()}) // nobody is left to hear of it
}
