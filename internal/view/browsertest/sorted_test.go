package browsertest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
)

// TestSorted: the title of a column sorts a panel's table by the numbers that the server tells, turns that round, and gives back the first order; a page opened at the address in between
// has the same order.
func TestSorted(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	for _, c := range []struct {
		panel, by, title, field string
		column                  int
	}{
		{"regions", "region", "calls", "count", 2}, {"regions", "region", "inclusive", "inclusive_ticks", 5}, {"matrix", "matrix", "messages", "count", 2},
		{"flame", "callpath&min_share=0.002", "exclusive", "exclusive_ticks", 3}, {"collectives", "collective", "count", "count", 2},
	} {
		numbers := fieldsOf(t, url+"/v1/traces/run/summary?limit=3000&by="+c.by, c.field)
		falling := slices.Clone(numbers)
		slices.SortFunc(falling, func(a, b float64) int { return -cmp.Compare(a, b) })
		rising := slices.Clone(falling)
		slices.Reverse(rising)
		b.open(t, url+"/#trace=run&panel="+c.panel)
		cells := fmt.Sprintf(`[...document.querySelectorAll("#panel tbody tr")].map((r) => r.children[%d].textContent)`, c.column)
		first := value[[]string](t, b, cells)
		title := fmt.Sprintf(`//th/button[starts-with(text(), %q)]`, c.title)
		for _, want := range []struct {
			sort  string
			order []float64
		}{{"descending", falling}, {"ascending", rising}} {
			b.run(t, chromedp.Focus(title), chromedp.KeyEvent("\r"))
			b.until(t, fmt.Sprintf(`document.querySelectorAll("th[aria-sort=%s]").length === 1`, want.sort))
			b.rests(t)
			shown := value[[]string](t, b, cells)
			for i, v := range want.order[:min(300, len(want.order))] {
				if i >= len(shown) || !written('n', shown[i], v, 1) && !written('t', shown[i], v, 1e9) {
					t.Fatalf("%s by %s, %s: row %d of %q is not %v", c.panel, c.title, want.sort, i, shown, v)
				}
			}
			at := value[string](t, b, "location.href")
			if !strings.Contains(at, "sort="+c.panel) {
				t.Errorf("sorted at %s", at)
			}
			b.open(t, at)
			if fresh := value[[]string](t, b, cells); !slices.Equal(fresh, shown) {
				t.Errorf("at %s: %q, not %q", at, fresh, shown)
			}
		}
		b.run(t, chromedp.Click(title))
		b.until(t, `!location.hash.includes("sort=")`)
		b.rests(t)
		if again := value[[]string](t, b, cells); !slices.Equal(again, first) {
			t.Errorf("%s by %s: %q after the third click, not %q", c.panel, c.title, again, first)
		}
	}
	// Names are sorted, too.
	b.open(t, url+"/#trace=run&panel=matrix&sort=matrix:1")
	if from := value[[]string](t, b, `[...document.querySelectorAll("#panel tbody tr")].map((r) => r.children[0].textContent)`); !slices.IsSorted(from) || len(from) < 8 {
		t.Errorf("senders by name: %q", from)
	}
	b.sound(t)
}

// fieldsOf returns a number of each row of an answer.
func fieldsOf(t *testing.T, url, field string) (list []float64) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var said struct{ Rows []map[string]any }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	for _, r := range said.Rows {
		v, ok := r[field].(float64)
		if !ok {
			t.Fatalf("%s: %v", field, r)
		}
		list = append(list, v)
	}
	if slices.IsSorted(list) || len(list) < 2 {
		t.Logf("%s: %v are sorted anyway", field, list)
	}
	return list
}
