package store_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Verify finds the call that a file should lack: a short one, or one inside another, without an event inside. One with an event, one that a cut made short, and one where the file does not say that all were
// left out, may be there.
func TestShortCalls(t *testing.T) {
	const none, inside, metric, mark = 0, trace.KindMpiSend, trace.KindMetric, trace.KindCutBefore
	for _, c := range []struct {
		name     string
		duration int64
		event    trace.Kind
		cell     uint64
		found    bool
		reason   trace.LeftReason
		bound    uint64
	}{
		{"short", 99, none, 100, true, trace.LeftShort, 100},
		{"with a value of a metric", 99, metric, 100, true, trace.LeftShort, 100},
		{"long", 100, none, 100, false, trace.LeftShort, 100},
		{"with an event", 99, inside, 100, false, trace.LeftShort, 100},
		{"cut", 99, mark, 100, false, trace.LeftShort, 100},
		{"unsure", 99, none, 0, false, trace.LeftShort, 100},
		{"deep", 99, none, 1, true, trace.LeftLevel, 1},
		{"deep with an event", 99, inside, 1, false, trace.LeftLevel, 1},
		{"deep and cut", 99, mark, 1, false, trace.LeftLevel, 1},
		{"deep and unsure", 99, none, 0, false, trace.LeftLevel, 1},
		{"not that deep", 99, none, 2, false, trace.LeftLevel, 2},
	} {
		src := tracegen.New(trace.Meta{Resolution: 1e9, Loss: &trace.Loss{Bounds: []trace.Bound{{Class: trace.LossCalls, Metric: uint64(c.reason), Bound: c.bound, Cell: c.cell}}}})
		region, location := src.Region("f"), src.Location(0, src.Process("p"))
		location.Append(trace.KindEnter, 1000, region)
		if c.event == mark {
			location.Append(mark, 2000, uint64(1500))
		}
		location.Append(trace.KindEnter, 2000, region)
		switch c.event {
		case inside:
			location.Append(inside, 2050, 0, 0, 0, 0)
		case metric:
			location.Append(metric, 2050, 0, 1, 4, 7)
		}
		location.Append(trace.KindLeave, 2000+c.duration, region)
		location.Append(trace.KindLeave, 9000, region)
		file := fileOf(t, src)
		r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := r.Verify(t.Context(), store.VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if found := len(report.Problems) == 1 && strings.Contains(report.Problems[0].Error(), "from 2000 to 2099 without an event inside"); found != c.found || len(report.Problems) > 1 {
			t.Errorf("%s: %v", c.name, report.Problems)
		}
	}
}
