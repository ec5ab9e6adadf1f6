package check_test

import (
	"testing"

	"github.com/pandotrace/pando/analysis/check"
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
