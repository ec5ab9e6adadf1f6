package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pandotrace/pando/store/internal/blockio"
)

// A server that says nothing, or that drips byte by byte, ends with an error, and is not asked again.
func TestRemoteServerThatDrips(t *testing.T) {
	defer func(answer, each time.Duration) { answerTime, byteTime = answer, each }(answerTime, byteTime)
	answerTime, byteTime = 50*time.Millisecond, time.Microsecond
	for _, drops := range []int{0, 1 << 20} {
		var requests atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			for n := range drops {
				if n == 0 {
					w.Header().Set("Content-Range", "bytes 0-999/1000")
					w.WriteHeader(http.StatusPartialContent)
				}
				if _, err := fmt.Fprint(w, "x"); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-r.Context().Done():
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
			<-r.Context().Done()
		}))
		_, err := Open(t.Context(), s.URL, nil)
		if !errors.Is(err, ErrSlow) || !strings.Contains(err.Error(), s.URL) || requests.Load() > 2 {
			t.Errorf("%d drops: %v after %d requests", drops, err, requests.Load())
		}
		s.Close()
	}
}

// Of an answer without end, no more is taken than was asked for.
func TestRemoteTakesWhatItAskedFor(t *testing.T) {
	var sent atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Range", "bytes 0-999/1000")
		w.WriteHeader(http.StatusPartialContent)
		for range 4096 {
			n, err := w.Write(make([]byte, 64<<10))
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}))
	_, err := Open(t.Context(), s.URL, nil)
	s.Close()
	const inFlight = 32 << 20 // what the system and the connections hold
	if err == nil || !strings.Contains(err.Error(), "more than was asked for") || sent.Load() > attempts*2*(blockio.HeadBytes+blockio.TailBytes)+inFlight {
		t.Errorf("%v after %d bytes", err, sent.Load())
	}
}
