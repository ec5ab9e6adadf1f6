package browsertest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve/tiles"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// screen is the size of a browser's window, and how many pixels of its device are one of CSS.
type screen struct {
	wide, high int64
	ratio      float64
}

func (b *browser) resize(t *testing.T, w screen) {
	b.run(t, chromedp.EmulateViewport(w.wide, w.high, chromedp.EmulateScale(w.ratio)))
}

// firstQuestions looks at the questions for tiles of a page that is opened anew.
type firstQuestions struct {
	sync.Mutex
	asked []url.Values  // in their order
	early []byte        // answer to the question without a level
	hold  chan struct{} // closed when that may be answered
}

func (f *firstQuestions) door(s http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/v1/traces/run/tiles" {
			s.ServeHTTP(w, q)
			return
		}
		query := q.URL.Query()
		f.Lock()
		f.asked = append(f.asked, query)
		hold := f.hold
		f.Unlock()
		if !query.Has("pixels") {
			s.ServeHTTP(w, q)
			return
		}
		<-hold
		q.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, q)
		f.Lock()
		f.early = bytes.Clone(answer.Body.Bytes())
		f.Unlock()
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		if _, err := io.Copy(w, answer.Body); err != nil {
			return // the page is gone
		}
	})
}

// open opens the page in a window, and in another one before the early tiles have come, if there is one.
func (f *firstQuestions) open(t *testing.T, b *browser, address string, w screen, then *screen) {
	t.Helper()
	hold := make(chan struct{})
	come := sync.OnceFunc(func() { close(hold) })
	defer come()
	b.run(t, chromedp.Navigate("about:blank"))
	b.resize(t, w)
	f.Lock()
	f.asked, f.early, f.hold = nil, nil, hold
	f.Unlock()
	b.run(t, chromedp.Navigate(address))
	if then != nil {
		b.until(t, "document.body.innerText.includes('rank 5')")
		b.resize(t, *then)
		b.run(t, chromedp.Sleep(200*time.Millisecond))
	}
	come()
	b.rests(t)
}

// TestFirstPicture: the tiles that the page asks for before it knows the rows are those of its first picture. The server chooses their level, and the page has a rule of its own
// for what it asks for later: of the three lanes only the first comes early, so that the others tell which level the page takes. Windows are as wide as two pixels of a level are
// one of the screen, and one pixel wider, where the levels of both are different.
func TestFirstPicture(t *testing.T) {
	for _, length := range []int{3, 311, 900} {
		src := tracegen.Ring(6, length, 1)
		info := stored.Source(t, src, store.Options{}).Info()
		var f firstQuestions
		address := behind(t, src, store.Options{SliceEvents: 2000, LaneLocations: 2}, f.door)
		b := browse(t, address)
		levels := map[byte]bool{}
		for _, w := range borders(info.Last - info.First + 1) {
			f.open(t, b, address+"/#lines=0", w, nil)
			levels[f.check(t, w)] = true
		}
		if len(levels) < 2 {
			t.Errorf("length %d: all windows have level %v", length, levels)
		}
		b.sound(t)
	}
}

// borders are windows whose pictures of some ticks have pixels of 2^k ticks, or just not.
func borders(ticks int64) (list []screen) {
	for level := range tiles.MaxLevel {
		for _, ratio := range []float64{1, 1.5, 2} {
			if wide := int64(float64(ticks>>level) / ratio); wide >= 500 && wide < 1300 {
				list = append(list, screen{wide + 190, 800, ratio}, screen{wide + 191, 800, ratio})
			}
		}
	}
	return list
}

// check compares the early tiles with the question behind them, which has the same level and asks for nothing that has come. It returns the level.
func (f *firstQuestions) check(t *testing.T, w screen) byte {
	t.Helper()
	f.Lock()
	defer f.Unlock()
	want := url.Values{"tree": {"system"}, "few": {"80"}, "lane": {"0"}, "group": {"0"}, "pixels": {fmt.Sprint(int64(float64(w.wide-190)*w.ratio + 0.5))}}
	if len(f.asked) < 2 || f.asked[0].Encode() != want.Encode() || len(f.early) < 40 {
		t.Fatalf("%+v: the questions for tiles are %v, the first one wants %v, and has %d bytes", w, f.asked, want, len(f.early))
	}
	level, later := f.early[5], f.asked[1]
	if later.Get("level") != fmt.Sprint(level) {
		t.Errorf("%+v: early tiles have level %d, the page then asks for %v", w, level, later)
	}
	if lanes := strings.Split(later.Get("lane"), ","); later.Get("from") != "0" || len(lanes) != 2 || lanes[0] != "1" || lanes[1] != "2" || later.Get("group") != "" {
		t.Errorf("%+v: behind the early tiles the page asks for %v", w, later)
	}
	return level
}

// TestFirstPictureResized: where the window gets another height before the early tiles have come, the page waits for them all the same.
func TestFirstPictureResized(t *testing.T) {
	var f firstQuestions
	address := behind(t, tracegen.Ring(6, 40, 1), store.Options{SliceEvents: 2000, LaneLocations: 2}, f.door)
	b := browse(t, address)
	for _, w := range []screen{{601, 900, 1}, {834, 900, 2}} {
		f.open(t, b, address+"/#lines=0", w, &screen{w.wide, 800, w.ratio})
		f.check(t, w)
	}
	b.sound(t)
}
