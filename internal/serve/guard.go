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
	"net/netip"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/serve/asked"
	"github.com/pandotrace/pando/internal/serve/gate"
)

// failure is an error that is sent to the client, with the status of the answer.
type failure struct {
	status int
	text   string
}

// Error implements error.
func (f *failure) Error() string { return f.text }

func bad(format string, args ...any) error { return asked.Bad(format, args...) }

func notFound(format string, args ...any) error {
	return &failure{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// statusOf returns the HTTP status for an error. Errors that are not the client's fault are the file's or the server's.
func statusOf(err error) int {
	var f *failure
	var fault *asked.Error
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.As(err, &fault):
		return http.StatusBadRequest
	case errors.Is(err, gate.ErrBusy):
		return http.StatusServiceUnavailable
	case errors.Is(err, gate.ErrShare):
		return http.StatusTooManyRequests
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, columnar.ErrTooManyRows):
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusInternalServerError
}

// ServeHTTP implements http.Handler. It refuses clients that may not ask, and questions that there are not, and counts and logs all.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begins(r)
	p := &patient{ResponseWriter: w, ctx: r.Context(), stall: s.options.Stall, sent: &s.sent, head: r.Method == http.MethodHead}
	route, begin := s.find(r), time.Now()
	defer func() { s.ended(route, p, r, time.Since(begin)) }()
	defer s.rescue(p, r)
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	err := s.admits(p, r, route)
	switch {
	case err != nil:
	case p.status != 0: // a preflight
	case r.Method == http.MethodOptions && (route != nil || r.URL.Path == "*"):
		h.Set("Allow", allowed)
		p.WriteHeader(http.StatusNoContent)
	case route == nil:
		err = notFound("there is no path %q: %s lists all paths", r.URL.EscapedPath(), descriptionPath)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", allowed)
		err = &failure{http.StatusMethodNotAllowed, fmt.Sprintf("%s is not possible: the server only reads", r.Method)}
	default:
		err = s.reply(route, p, r)
	}
	if err != nil {
		fail(p, err)
	}
}

// allowed are the methods of all routes.
const allowed = "GET, HEAD, OPTIONS"

// admits returns an error for a client that may not ask. It answers a preflight itself.
func (s *Server) admits(p *patient, r *http.Request, route *route) error {
	public, page := route != nil && route.path == healthPath, route != nil && route.isPage()
	if !public {
		if err := s.host(r); err != nil {
			return err
		}
	}
	if err := s.sites(p.Header(), r); err != nil && !page {
		return err
	}
	if preflight(p, r) {
		return nil
	}
	if !public && !page {
		if err := s.token(r); err != nil {
			return err
		}
	}
	return p.allow(0)
}

// rescue turns a panic into a failed request, so that a fault of the program costs one request alone. The client gets status 500; if part of
// the answer has been sent, the connection breaks off.
func (s *Server) rescue(p *patient, r *http.Request) {
	fault := recover()
	if fault == nil {
		return
	}
	p.leave()
	if fault == http.ErrAbortHandler {
		panic(fault)
	}
	s.errors.Error("panic", slog.String("path", r.URL.RequestURI()), slog.Any("fault", fault), slog.String("stack", string(debug.Stack())))
	fail(p, errors.New("the server failed at this question; its log says where"))
}

// token refuses requests without the token.
func (s *Server) token(r *http.Request) error {
	if s.options.Token == "" || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.options.Token)) == 1 {
		return nil
	}
	return &failure{http.StatusUnauthorized, "a token is needed: Authorization: Bearer TOKEN"}
}

// host refuses requests for other names than those of this machine, unless a token is required.
func (s *Server) host(r *http.Request) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if s.options.Token != "" || IsLoopback(host) {
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

// clientOf returns the client of a request, for fair shares: its address or, for IPv6, its /64 network, all of whose addresses one client may have.
func clientOf(r *http.Request) string {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	a := address.Addr().Unmap().WithZone("")
	if a.Is4() || a.IsLoopback() {
		return a.String()
	}
	network, _ := a.Prefix(64) // of no other length an error
	return network.String()
}

// fail sends an error to the client. If part of an answer has been sent, it breaks the connection off, so that the part is not mistaken for
// the whole.
func fail(p *patient, err error) {
	if p.status != 0 {
		p.broken = true
		panic(http.ErrAbortHandler)
	}
	p.leave()
	p.ctx = context.WithoutCancel(p.ctx) // the error of a timeout is still sent
	status := statusOf(err)
	h := p.Header()
	for _, name := range []string{"Content-Length", "Content-Disposition", "Content-Encoding", "ETag", "Last-Modified", "Trailer", moreRows} {
		h.Del(name)
	}
	switch status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", "1")
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
	body, _ := json.Marshal(map[string]string{"error": err.Error()}) // of text there is no error
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	p.WriteHeader(status)
	_, _ = p.Write(append(body, '\n')) // the client may be gone
}
