package serve

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/query"
)

// An answer to a query is that of the program, in each format; what groups add up to is what the table has.
func TestQuery(t *testing.T) {
	base, _, s := serving(t, Options{})
	path := "/v1/traces/ring/query?"
	ask := func(v url.Values) []byte {
		t.Helper()
		status, media, body := get(t, base+path+v.Encode())
		if status != http.StatusOK {
			t.Fatalf("%v: %d, %s: %s", v, status, media, body)
		}
		return body
	}
	all := ask(url.Values{"show": {"rank,name,duration"}, "format": {"csv"}})
	some := ask(url.Values{"show": {"rank,name,duration"}, "where": {"rank == 1"}, "format": {"csv"}})
	head, _, _ := bytes.Cut(all, []byte("\n"))
	want := []string{string(head)}
	for line := range strings.Lines(string(all)) {
		if strings.HasPrefix(line, "1,") {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if got := strings.TrimSpace(string(some)); len(want) < 100 || strings.ReplaceAll(got, "\r", "") != strings.Join(want, "\n") {
		t.Errorf("%d lines of rank 1, want %d", strings.Count(got, "\n"), len(want))
	}
	var groups []struct {
		Rank  int64
		Count int64
	}
	getJSON(t, base+path+url.Values{"by": {"rank"}, "sort": {"-rank"}, "limit": {"2"}}.Encode(), &groups)
	if len(groups) != 2 || groups[0].Rank != 3 || groups[1].Rank != 2 || groups[1].Count != int64(bytes.Count(all, []byte("\n2,"))) {
		t.Errorf("groups %+v", groups)
	}
	for wrong, status := range map[string]int{
		"table=cals": 400, "where=durration+%3E+1ms": 400, "where=rank": 400, "by=rank&show=name": 400, "sort=nothing": 400, "columns=rank": 400, "limit=0": 400,
		"where=9000000000000000000%2Brank*9000000000000000000+%3E+0": 400, "max_rows=3": 413, "from=2&to=1": 400, "where=" + strings.Repeat("1", 5000): 400,
	} {
		checkRefusal(t, s, base+path+wrong, status)
	}
	_, _, body := get(t, base+path+"where=durration+%3E+1ms")
	if text := string(body); !strings.Contains(text, "^^^^^^^^^") || !strings.Contains(text, "duration") {
		t.Errorf("a wrong name: %s", text)
	}
	if f, ok := errors.AsType[*failure](wrongQuery(fmt.Errorf("sorting: %w", query.ErrMemory))); !ok || f.status != http.StatusRequestEntityTooLarge {
		t.Errorf("what takes too much memory: %v", f)
	}
}
