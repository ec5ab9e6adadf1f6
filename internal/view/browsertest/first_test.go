package browsertest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// TestFirstPicture: the tiles that the page asks for before it knows the rows are those of its first picture, so that the server and the page reckon alike which pixels it
// has. All other tiles are held back until that picture is there. Every other time, the view is another one before those tiles come: the page waits for them all the same.
func TestFirstPicture(t *testing.T) {
	for i, length := range []int{3, 40, 311, 900} {
		var lock sync.Mutex
		var asked []string
		free, early := make(chan struct{}), make(chan struct{})
		release, come := sync.OnceFunc(func() { close(free) }), sync.OnceFunc(func() { close(early) })
		url := behind(t, tracegen.Ring(6, length, 1), store.Options{SliceEvents: 2000}, func(s http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path == "/v1/traces/run/tiles" {
					lock.Lock()
					asked = append(asked, q.URL.RawQuery)
					lock.Unlock()
					if q.URL.Query().Has("pixels") {
						<-early
					} else {
						<-free
					}
				}
				s.ServeHTTP(w, q)
			})
		})
		t.Cleanup(func() { come(); release() }) // before the server is closed
		b := browse(t, url)
		b.run(t, chromedp.EmulateViewport(int64(601+233*i), 900), chromedp.Navigate(url+"/#lines=0"))
		if i%2 == 1 {
			b.until(t, "document.body.innerText.includes('rank 5')")
			b.run(t, chromedp.Sleep(200*time.Millisecond), chromedp.EmulateViewport(int64(601+233*i), 800), chromedp.Sleep(200*time.Millisecond))
		}
		come()
		b.until(t, "window.pandoFrames?.length > 0")
		lock.Lock()
		if len(asked) == 0 || asked[0] != fmt.Sprintf("tree=system&pixels=%d&few=80&lane=0&group=0", 601+233*i-190) {
			t.Errorf("the first question for tiles is %q", asked)
		}
		lock.Unlock()
		release()
		b.rests(t)
		b.sound(t)
	}
}
