package waits_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// planting is what is known of the waits of a planted trace.
type planting struct {
	Found struct {
		Late struct {
			BySender map[string]struct {
				Messages uint64 `json:"messages"`
				Wait     int64  `json:"wait_ns"`
			} `json:"by_sender"`
		} `json:"late_sender_wait"`
		Sends    []any `json:"sends_without_receive"`
		Backward struct {
			Messages uint64 `json:"messages"`
			ByPair   map[string]struct {
				Worst int64 `json:"worst_ns"`
			} `json:"by_pair"`
		} `json:"receives_before_their_send"`
		Matched uint64 `json:"messages_matched"`
	} `json:"found_in_archive"`
}

// planted calls a test with each planted trace below PANDO_TRACES.
func planted(t *testing.T, test func(t *testing.T, r *store.Reader, p *planting)) {
	for _, name := range tracetest.Planted(t) {
		t.Run(name, func(t *testing.T) {
			var p planting
			test(t, stored.Trace(t, tracetest.PlantedDir(t, name, &p)), &p)
		})
	}
}

// Late senders are named with their waiting time: that of the truth, within one in a hundred. The truth counts from the enter of the receiving
// call to the record of the send, which comes a little behind the enter of the sending call. On one rank of tasks.a that little is 8 in a hundred: where
// the two differ by more than one in a hundred, what lies between enters and records must account for it.
func TestPlantedLateSenders(t *testing.T) {
	planted(t, func(t *testing.T, r *store.Reader, p *planting) {
		x, err := waits.Of(t.Context(), r, r.All(), waits.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defs, err := r.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		ticks, times := map[string]int64{}, map[string]uint64{}
		for _, place := range defs.Places(x.Locations) {
			for _, l := range x.Late {
				if l.Kind == waits.LateSender && l.Location == place.Location {
					ticks[strconv.FormatInt(place.Rank, 10)], times[strconv.FormatInt(place.Rank, 10)] = l.Ticks, l.Waits
				}
			}
		}
		for rank, want := range p.Found.Late.BySender {
			got := ticks[rank]
			off := math.Abs(float64(got-want.Wait)) / float64(want.Wait)
			if off > 0.01 && (got > want.Wait || want.Wait-got > between(t, r, rank)) {
				t.Errorf("rank %s was late for %d messages by %d ns, want %d by %d: %.2f %% off", rank, times[rank], got, want.Messages, want.Wait, 100*off)
			}
		}
		if x.Counts.Messages != p.Found.Matched || x.Counts.Backward != p.Found.Backward.Messages || x.Counts.UnmatchedSends != uint64(len(p.Found.Sends)) {
			t.Errorf("%+v, want %d messages, %d backward", x.Counts, p.Found.Matched, p.Found.Backward.Messages)
		}
		for pair, b := range p.Found.Backward.ByPair {
			if b.Worst > x.Counts.WorstBackward {
				t.Errorf("%s: worst %d, told %d", pair, b.Worst, x.Counts.WorstBackward)
			}
		}
	})
}

// between returns the time between the enters of calls that send and the records of sends, on a rank.
func between(t *testing.T, r *store.Reader, rank string) (sum int64) {
	t.Helper()
	number, err := strconv.ParseUint(rank, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	entered := int64(0)
	w := r.All().WithLocations(stored.LocationIDs(t, r)[number]).WithKinds(trace.KindEnter, trace.KindMpiSend, trace.KindMpiIsend)
	for e, err := range w.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if now := e.Batch.Times[e.Index]; e.Batch.Kinds[e.Index] == trace.KindEnter {
			entered = now
		} else {
			sum += now - entered
		}
	}
	t.Logf("rank %s: %d ns between enters and records of sends", rank, sum)
	return sum
}
