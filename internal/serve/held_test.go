package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/memory"
)

// TestLateMemory: an analysis that finds out in the middle of its answer that it takes too much memory is refused with the status that says so,
// as long as the answer is held. What is sent already cannot be taken back: the connection breaks off.
func TestLateMemory(t *testing.T) {
	for bytes, want := range map[int]int{100: 413, answerBytes + 100: 413, smallBytes + 100: 413, heldBytes + 100: 200} {
		_, _, s := serving(t, Options{})
		answer := func(_ *Server, r *request) error {
			if err := r.enlarge(largeWork); err != nil {
				return err
			}
			r.held = heldBytes
			return r.stream(func(to io.Writer) error {
				for line := strings.Repeat("x", 99) + "\n"; bytes > 0; bytes -= len(line) {
					if _, err := io.WriteString(to, line); err != nil {
						return err
					}
				}
				return tooLarge(fmt.Errorf("late: %w", memory.ErrExceeded))
			})
		}
		late := &route{"/late", small, "", nil, []string{"text/plain"}, answer}
		s.routes, s.meters[late] = append(s.routes, late), &meter{}
		h := httptest.NewServer(s)
		defer h.Close()
		client := http.Client{Transport: &http.Transport{DisableCompression: true}}
		got, err := client.Get(h.URL + "/late")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		got.Body.Close()
		if broken := err != nil; got.StatusCode != want || broken != (want == 200) || want == 413 && !strings.Contains(string(body), "shorter window") {
			t.Errorf("status %d, want %d; %d bytes, %v", got.StatusCode, want, len(body), err)
		}
	}
}
