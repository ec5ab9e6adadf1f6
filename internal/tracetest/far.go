package tracetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Latency is the time from a request of a FarServer to its answer, by the clock of a test: nothing else takes time there.
const Latency = time.Second

// FarServer is a web server with one file. It answers requests for parts of it after the latency, however many there are at once.
type FarServer struct {
	File            []byte
	Requests, Bytes atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (s *FarServer) RoundTrip(r *http.Request) (*http.Response, error) {
	var from, to, n int64
	size := int64(len(s.File))
	asked := r.Header.Get("Range")
	if _, err := fmt.Sscanf(asked, "bytes=%d-%d", &from, &to); err != nil || from < 0 {
		if _, err := fmt.Sscanf(asked, "bytes=-%d", &n); err != nil {
			return nil, fmt.Errorf("range %q: %w", asked, err)
		}
		from, to = max(0, size-n), size-1
	}
	part := s.File[from:min(to+1, size)]
	s.Requests.Add(1)
	s.Bytes.Add(int64(len(part)))
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(Latency):
	}
	return &http.Response{
		StatusCode: http.StatusPartialContent, Request: r, Body: io.NopCloser(bytes.NewReader(part)),
		Header: http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", from, from+int64(len(part))-1, size)}, "Etag": {`"one"`}},
	}, nil
}

// Rounds does something with a server, and returns how many latencies passed until it was done: the longest chain of requests of which each
// waited for the answer to the one before. What do does must end all goroutines that it begins.
func (s *FarServer) Rounds(t *testing.T, do func(t *testing.T)) (rounds int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		do(t)
		rounds = int(time.Since(begun) / Latency)
		synctest.Wait()
	})
	return rounds
}
