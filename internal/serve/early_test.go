package serve

import (
	"encoding/json"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// A trace that begins before tick 0 of its source says so, and at its last instant calls that were never left are open.
func TestEarly(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	src := tracegen.New(trace.Meta{Resolution: 1e9, Epoch: 100})
	region := src.Region("main")
	src.Location(0, src.Process("p"))
	src.Events(0).Append(trace.KindEnter, -1000, region)
	src.Events(0).Append(trace.KindEnter, -700, region)
	src.Events(0).Append(trace.KindLeave, -600, region)
	written(t, dir, "early", src)
	var info struct {
		First json.Number `json:"first_event_ticks"`
	}
	getJSON(t, base+"/v1/traces/early", &info)
	if info.First != "-900" {
		t.Errorf("the first event is at tick %s, want -900", info.First)
	}
	for window, want := range map[string]uint64{"from=0&to=1": 1, "from=300&to=301": 2, "from=400": 1, "from=400&to=%2B1000": 1, "from=401&to=402": 0, "from=100%25": 0} {
		var sum struct{ Rows []struct{ Count uint64 } }
		getJSON(t, base+"/v1/traces/early/summary?"+window, &sum)
		var rows []struct{}
		getJSON(t, base+"/v1/traces/early/tables/calls?format=json&"+window, &rows)
		got := uint64(0)
		for _, c := range sum.Rows {
			got += c.Count
		}
		if got != want || uint64(len(rows)) != want {
			t.Errorf("%s: a summary of %d calls and a table of %d, want %d", window, got, len(rows), want)
		}
	}
}
