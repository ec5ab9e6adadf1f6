package browsertest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// TestFirstPicture: the tiles that the page asks for before it knows the rows are those of its first picture, so that the server and the page reckon alike which pixels it
// has. All other tiles are held back until these have been answered: a busy page may ask for some of them before it takes that answer.
func TestFirstPicture(t *testing.T) {
	for i, length := range []int{3, 40, 311, 900} {
		var lock sync.Mutex
		var asked []string
		free := make(chan struct{})
		release := sync.OnceFunc(func() { close(free) })
		url := behind(t, tracegen.Ring(6, length, 1), store.Options{SliceEvents: 2000}, func(s http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path == "/v1/traces/run/tiles" {
					lock.Lock()
					asked = append(asked, q.URL.RawQuery)
					lock.Unlock()
					if !q.URL.Query().Has("pixels") {
						<-free
					}
				}
				s.ServeHTTP(w, q)
				if q.URL.Query().Has("pixels") {
					release()
				}
			})
		})
		t.Cleanup(release) // before the server is closed
		b := browse(t, url)
		b.run(t, chromedp.EmulateViewport(int64(601+233*i), 900), chromedp.Navigate(url+"/#lines=0"))
		b.until(t, "window.pandoFrames?.length > 0")
		lock.Lock()
		if len(asked) == 0 || asked[0] != fmt.Sprintf("tree=system&pixels=%d&few=80&lane=0&group=0", 601+233*i-190) {
			t.Errorf("the first question for tiles is %q", asked)
		}
		lock.Unlock()
		b.rests(t)
		b.sound(t)
	}
}
