package folding

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/analysis/fold"
)

// total is what the pixels of a row add up to, as shares of its time.
type total struct {
	name              string
	members           int
	low, high         float64 // of utilisation
	least, mean, most float64 // of the time in calls: means over the pixels, so that members may take turns
	apart             float64
	error             float64 // the greatest of a pixel, as a share of it
}

// totalOf adds up a row.
func (q *Question) totalOf(r *fold.Row) total {
	t := total{name: q.Groups[r.Group].Name, members: r.Members}
	all := float64(q.axis.Length)
	for i := range r.Pixels {
		p := &r.Pixels[i]
		t.low += float64(p.Busy.Low) / all
		t.high += float64(p.Busy.High) / all
		t.least += float64(p.Busy.Least) / all
		t.most += float64(p.Busy.Most) / all
		t.mean += float64(p.Busy.Sum) / float64(r.Members) / all
		t.apart += float64(p.Apart) / all
		if n := q.ticks(i); n > 0 {
			t.error = max(t.error, min(float64(r.Errors[i])/float64(n), 1))
		}
	}
	return t
}

// utilisation writes the share of the time in which at least one member is in a call, or its bounds.
func (t *total) utilisation() string { return between(t.low, t.high) }

// between writes a share, or bounds of one.
func between(low, high float64) string {
	a, b := percent(low), percent(high)
	if a == b {
		return a
	}
	return strings.TrimSuffix(a, " %") + " to " + b
}

// percent writes a share. Only all is 100 %, only nothing is 0 %.
func percent(share float64) string {
	switch text := fmt.Sprintf("%.1f %%", 100*share); {
	case text == "100.0 %" && share < 1-1e-12:
		return "99.9 %"
	case text == "0.0 %" && share > 0:
		return "< 0.1 %"
	default:
		return text
	}
}
