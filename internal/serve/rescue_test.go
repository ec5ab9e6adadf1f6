package serve

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRescue: a panic in a handler is status 500 in the documented form, or breaks off what has been begun. Either way its stack is in the
// log, and the answer leaves nothing behind.
func TestRescue(t *testing.T) {
	var log bytes.Buffer
	_, _, s := serving(t, Options{Errors: &log})
	faults := map[string]route{
		"at once": {path: "/fault", answer: func(*Server, *request) error { panic("planted") }},
		"in its midst": {path: "/fault", answer: func(_ *Server, r *request) error {
			return r.stream(func(w io.Writer) error {
				_, _ = w.Write(make([]byte, 2*smallBytes))
				panic("planted")
			})
		}},
		"on purpose": {path: "/fault", answer: func(*Server, *request) error { panic(http.ErrAbortHandler) }},
	}
	for name, faulty := range faults {
		s.routes, s.meters[&faulty] = []*route{&faulty}, &meter{}
		h := httptest.NewServer(s)
		log.Reset()
		status, body, err := 0, []byte(nil), error(nil)
		r, err := http.Get(h.URL + "/fault")
		if err == nil {
			status = r.StatusCode
			body, err = io.ReadAll(r.Body)
			r.Body.Close()
		}
		h.Close()
		if told := err == nil && status == http.StatusInternalServerError && strings.HasPrefix(string(body), `{"error":`); told != (name == "at once") || !told && err == nil {
			t.Errorf("%s: %d, %d bytes, %v", name, status, len(body), err)
		}
		if logged := strings.Contains(log.String(), "rescue_test.go"); logged != (name != "on purpose") {
			t.Errorf("%s: the log is %q", name, log.String())
		}
		if n := underWay(s); n != 0 {
			t.Errorf("%s: %d answers are under way", name, n)
		}
		for _, g := range s.gates {
			if s := g.State(); s.Used != 0 || s.Running != 0 || s.Inside != 0 || s.Waiting != 0 || s.Clients != 0 {
				t.Errorf("%s: nobody asks any more: %+v", name, s)
			}
		}
	}
}
