package check_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// sum adds up the findings of some codes.
func sum(r *check.Result, codes ...check.Code) (n uint64) {
	for _, c := range r.Counts {
		for _, code := range codes {
			if c.Code == code {
				n += c.N
			}
		}
	}
	return n
}

// What a file counts as doubtful, without a look at its events, is what is found among them.
func checkDoubts(t *testing.T, src trace.Source) {
	t.Helper()
	r := of(t, src, check.Options{})
	info := stored.Source(t, src, store.Options{}).Info()
	got := info.Doubts
	want := store.Doubts{
		BackwardMessages: sum(r, check.ReceivedBeforeSent),
		OpenRequests:     sum(r, check.SendNeverCompleted, check.ReceiveNeverCompleted, check.RequestInUse),
		UnlikeRanks:      got.UnlikeRanks,
	}
	if info.Has(trace.KindNonBlockingCollectiveRequest) { // whose requests are in use as well, and do not count in files
		want.OpenRequests = min(want.OpenRequests, got.OpenRequests)
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if other := sum(r, check.OtherRoot, check.OtherOperation, check.MissingPart); (got.UnlikeRanks > 0) != (other > 0) {
		t.Errorf("%d ranks have other collective operations than most; %d operations are found that differ", got.UnlikeRanks, other)
	}
}

func TestDoubts(t *testing.T) {
	for _, name := range tracetest.Planted(t) {
		t.Run(name, func(t *testing.T) { checkDoubts(t, open(t, tracetest.PlantedDir(t, name, &planting{}))) })
	}
}

func TestDoubtsOfBundledTraces(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		t.Run(name, func(t *testing.T) { checkDoubts(t, open(t, tracetest.Anchor(t, name))) })
	}
}

// Of a file whose writer counted nothing, the messages are looked at: here one that is received before it is sent, among many calls.
func TestUncountedDoubts(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	a, b := src.Location(0, src.Process("a")), src.Location(1, src.Process("b"))
	src.Comm(src.CommGroup(0, 1))
	src.CommLocations(0, 1)
	region := src.Region("region")
	for i := range int64(20) {
		a.Append(trace.KindEnter, i, region)
		a.Append(trace.KindLeave, i, region)
	}
	a.Append(trace.KindMpiSend, 30, 1, 0, 0, 8)
	b.Append(trace.KindMpiRecv, 5, 0, 0, 0, 8)
	file := stored.Bytes(t, src, store.Options{})
	blocks := damage.Blocks(file)
	at := slices.IndexFunc(blocks, func(b damage.Block) bool { return b.Kind == format.BlockTotals })
	totals, err := index.ReadTotals(blocks[at].Payload)
	if err != nil {
		t.Fatal(err)
	}
	totals.Doubts = index.Doubts{Uncounted: 3}
	blocks[at].Payload = totals.Append(nil)
	r := of(t, stored.Open(t, damage.Join(file, blocks)).Source(), check.Options{Only: []check.Rule{check.Clock}})
	if got := sum(r, check.ReceivedBeforeSent); got != 1 {
		t.Errorf("%d messages are received before they are sent, want 1", got)
	}
}
