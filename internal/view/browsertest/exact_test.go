package browsertest

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// TestExactCalls: of a view whose calls lie in very many slices, the page shows the longer ones first, and all of at least a pixel when it has come to rest.
func TestExactCalls(t *testing.T) {
	short := store.Options{SliceEvents: 300}
	r := stored.Source(t, tracegen.Ring(6, 2000, 1), short)
	url, _, _ := servingAs(t, r.Source(), short, serve.Options{})
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(900, 900))
	length := r.Info().Last - r.Info().First
	from, to := length/4, length/4+length*3/20
	b.open(t, part(url, from, to, "&lines=0&rows=l0,l3"))
	level := int(math.Log2(float64(to-from) / float64(value[int](t, b, "bands.width"))))
	answer, err := http.Get(fmt.Sprintf("%s/v1/traces/run/calls?lane=0&level=%d&from=%d", url, level, (from+to)/2>>(level+8)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	head := make([]byte, 40)
	if _, err := io.ReadFull(answer.Body, head); err != nil {
		t.Fatal(err)
	}
	if least := binary.LittleEndian.Uint64(head[32:]); least < 8<<level {
		t.Fatalf("a tile of level %d has calls of %d ticks without being asked for all: this trace is too easy", level, least)
	}
	if status := value[string](t, b, `document.getElementById("status").textContent`); !strings.Contains(status, "exact") || strings.Contains(status, "and more") {
		t.Errorf("the page says %q", status)
	}
	compareDepths(t, b, r, from, to)
	b.sound(t)
}
