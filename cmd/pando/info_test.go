package main

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// infoAnswer is `pando info --json` as another program would read it.
type infoAnswer struct {
	Events            uint64            `json:"events"`
	Locations         int               `json:"locations"`
	Calls             uint64            `json:"calls"`
	Messages          uint64            `json:"messages"`
	MessageBytes      uint64            `json:"message_bytes"`
	UnmatchedSends    uint64            `json:"unmatched_sends"`
	UnmatchedReceives uint64            `json:"unmatched_receives"`
	MaxDepth          uint64            `json:"max_depth"`
	Definitions       uint64            `json:"definitions"`
	Bytes             int64             `json:"bytes"`
	Resolution        uint64            `json:"ticks_per_second"`
	FirstAbsolute     uint64            `json:"first_event_ticks"`
	LastAbsolute      uint64            `json:"last_event_ticks"`
	DurationTicks     int64             `json:"duration_ticks"`
	Kinds             map[string]uint64 `json:"kinds"`
	Properties        map[string]string `json:"properties"`
	Regions           []struct {
		ID        uint64   `json:"region"`
		Name      string   `json:"region_name"`
		Calls     uint64   `json:"count"`
		Inclusive *big.Int `json:"inclusive_ticks"`
		Exclusive *big.Int `json:"exclusive_ticks"`
	} `json:"regions"`
	LocationList []struct {
		ID     uint64 `json:"location"`
		Name   string `json:"location_name"`
		Events uint64 `json:"events"`
	} `json:"location_list"`
	ByteLines []struct {
		Part  string `json:"part"`
		What  string `json:"what"`
		Bytes int64  `json:"bytes"`
	} `json:"byte_lines"`
	Compaction *struct {
		Before       map[string]uint64   `json:"before"`
		After        map[string]uint64   `json:"after"`
		Rate         map[string]*float64 `json:"rate"`
		Roots        uint64              `json:"roots"`
		Dictionaries map[string]uint64   `json:"dictionaries"`
		Tokens       map[string]uint64   `json:"tokens"`
		Spanning     uint64              `json:"spanning_messages"`
		NodeRatio    *float64            `json:"node_ratio"`
		TreeBytes    uint64              `json:"tree_bytes"`
		GraphBytes   uint64              `json:"graph_bytes"`
		MemoryRatio  *float64            `json:"memory_ratio"`
	} `json:"compaction"`
}

func overviewOf(t *testing.T, file string, flags ...string) *infoAnswer {
	t.Helper()
	var r infoAnswer
	if err := json.Unmarshal([]byte(output(t, append([]string{"info", file, "--json"}, flags...)...)), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// load reads a bundled trace into memory, past the engine.
func load(t *testing.T, name string) *model.Trace {
	t.Helper()
	return loaded(t, func(ctx context.Context) (trace.Source, error) {
		return convert.Open(ctx, tracetest.Anchor(t, name), convert.Options{})
	})
}

// TestInfo compares what info says with counts that the OTF2 library made of the traces.
func TestInfo(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		text, err := os.ReadFile(filepath.Dir(tracetest.Anchor(t, name)) + ".counts.json")
		if os.IsNotExist(err) {
			continue
		}
		var want struct {
			Events      uint64            `json:"events"`
			Locations   int               `json:"locations"`
			Resolution  uint64            `json:"timer_resolution"`
			First       uint64            `json:"min_timestamp"`
			Last        uint64            `json:"max_timestamp"`
			Definitions uint64            `json:"global_defs"`
			Regions     int               `json:"regions"`
			Records     map[string]uint64 `json:"records"`
		}
		if err == nil {
			err = json.Unmarshal(text, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := want.Records["Unknown"]; ok {
			delete(want.Records, "Unknown")
			want.Records["UnknownEvent"] = n
		}
		got := overviewOf(t, converted(t, name), "--regions", "--locations")
		if strings.Contains(name, "allrecords") { // it defines regions again and again
			want.Regions = len(got.Regions)
		}
		if got.Events != want.Events || got.Locations != want.Locations || len(got.LocationList) != want.Locations ||
			got.Resolution != want.Resolution || got.Definitions != want.Definitions || len(got.Regions) != want.Regions ||
			got.FirstAbsolute != want.First || got.LastAbsolute != want.Last || uint64(got.DurationTicks) != want.Last-want.First {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if diff := cmp.Diff(want.Records, got.Kinds); diff != "" {
			t.Errorf("%s: kinds (-want +got):\n%s", name, diff)
		}
	}
}

// TestRegions compares the times of regions with those that the naive model adds up.
func TestRegions(t *testing.T) {
	const name = "otf2.amg.8.piece"
	m := load(t, name)
	first, last, _ := m.Span()
	want := model.Profile(m.Calls(), first, last+1)
	got := overviewOf(t, converted(t, name), "--regions")
	called := 0
	for _, r := range got.Regions {
		w := want[r.ID]
		if r.Calls > 0 {
			called++
		} else if w.Calls == 0 {
			continue
		}
		if r.Calls != w.Calls || r.Inclusive.Cmp(w.Inclusive) != 0 || r.Exclusive.Cmp(w.Exclusive) != 0 {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
	if called != len(want) || called == 0 {
		t.Errorf("%d regions were called, want %d", called, len(want))
	}
}

// TestBytes adds up where the bytes of each bundled trace go.
func TestBytes(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		got := overviewOf(t, converted(t, name), "--bytes")
		sum, parts := int64(0), map[string]int64{}
		for _, l := range got.ByteLines {
			sum += l.Bytes
			parts[l.Part] += l.Bytes
		}
		if sum != got.Bytes || len(parts) < 6 || parts["times"] == 0 || parts["unknown"] != 0 {
			t.Errorf("%s: %d bytes of %d; %v", name, sum, got.Bytes, parts)
		}
	}
}

// TestCompaction holds the compaction of a trace against the naive model's calls and messages, and its figures against
// each other.
func TestCompaction(t *testing.T) {
	const name = "otf2.amg.8.piece"
	m := load(t, name)
	matching := m.Match()
	calls := uint64(len(m.Calls()))
	ends := uint64(2*len(matching.Messages) + len(matching.UnmatchedSends) + len(matching.UnmatchedReceives) + len(matching.CancelledSends))
	c := overviewOf(t, converted(t, name), "--compaction").Compaction
	want := map[string]uint64{"nodes": calls + 8, "edges": calls, "messages": ends, "all": 2*calls + 8 + ends}
	if diff := cmp.Diff(want, c.Before); diff != "" || c.Roots != 8 {
		t.Errorf("%d roots, before (-want +got):\n%s", c.Roots, diff)
	}
	d, s := c.Dictionaries, c.Tokens
	want = map[string]uint64{
		"nodes": 8 + d["nodes"], "edges": d["edges"] + s["edges"], "messages": d["messages"] + s["messages"] + 2*c.Spanning,
		"all": 8 + d["all"] + s["all"] + 2*c.Spanning,
	}
	if diff := cmp.Diff(want, c.After); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	for what, rate := range c.Rate {
		if want := 1 - float64(c.After[what])/float64(c.Before[what]); *rate != want || want < 0.5 {
			t.Errorf("rate of %s is %g, want %g", what, *rate, want)
		}
	}
	if *c.NodeRatio != float64(c.Before["nodes"])/float64(c.After["nodes"]) || *c.MemoryRatio != float64(c.TreeBytes)/float64(c.GraphBytes) {
		t.Errorf("ratios %g and %g", *c.NodeRatio, *c.MemoryRatio)
	}
}
