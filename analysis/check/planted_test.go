package check_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

func open(t testing.TB, anchor string) trace.Source {
	t.Helper()
	src, err := otf2.Open(anchor, otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func of(t testing.TB, src trace.Source, o check.Options) *check.Result {
	t.Helper()
	r, err := check.Of(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// totals are the numbers of findings by code.
func totals(r *check.Result) string {
	n := map[string]uint64{}
	for _, c := range r.Counts {
		n[c.Code.String()+" "+c.Severity.String()] += c.N
	}
	var list []string
	for k, v := range n {
		list = append(list, fmt.Sprintf("%s: %d", k, v))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// planting is what is known of the faults of a planted trace. Ticks are those of the archive.
type planting struct {
	Found struct {
		Leaves []struct {
			Rank uint64
			Left int64 `json:"caller_left"`
		} `json:"leaves_missing"`
		Enters []struct {
			Rank uint64
			Left int64 `json:"leave_tick"`
		} `json:"enters_missing"`
		Sends []struct {
			Rank uint64 `json:"sender"`
			Tick int64
		} `json:"sends_without_receive"`
		Isends      []tick `json:"isend_never_completed"`
		Irecvs      []tick `json:"irecv_never_completed"`
		Collectives []struct {
			Ticks map[string]int64
			Roots map[string]string
		} `json:"collectives_that_disagree"`
		Backward struct {
			Messages uint64
		} `json:"receives_before_their_send"`
	} `json:"found_in_archive"`
}

type tick struct {
	Rank uint64
	Tick int64
}

// Of the planted traces, those with faults give exactly the findings that are known, and the others none. Where a clock is wrong by some
// milliseconds, collective operations show it, too.
func TestPlanted(t *testing.T) {
	for _, name := range tracetest.Planted(t) {
		t.Run(name, func(t *testing.T) {
			var p planting
			src := open(t, tracetest.PlantedDir(t, name, &p))
			r := of(t, src, check.Options{Limit: 1000})
			want := map[string]bool{}
			expect := func(code check.Code, rank uint64, at int64) {
				want[fmt.Sprintf("%v on %d at %d", code, rank, at)] = true
			}
			for _, x := range p.Found.Leaves {
				expect(check.LostLeave, x.Rank, x.Left)
			}
			for _, x := range p.Found.Enters {
				expect(check.LostEnter, x.Rank, x.Left)
			}
			for _, x := range p.Found.Sends {
				expect(check.UnmatchedSend, x.Rank, x.Tick)
			}
			for _, x := range p.Found.Isends {
				expect(check.SendNeverCompleted, x.Rank, x.Tick)
			}
			for _, x := range p.Found.Irecvs {
				expect(check.ReceiveNeverCompleted, x.Rank, x.Tick)
			}
			for _, x := range p.Found.Collectives {
				for rank, root := range x.Roots {
					if root != "0" {
						n, _ := strconv.ParseUint(rank, 10, 64)
						expect(check.OtherRoot, n, x.Ticks[rank])
					}
				}
			}
			backward := uint64(0)
			for _, f := range r.Findings {
				at := fmt.Sprintf("%v on %d at %v", f.Code, f.At.Location, src.Meta().SourceTime(f.At.Time))
				switch {
				case f.Code == check.ReceivedBeforeSent:
					backward++
				case f.Code == check.LeftBeforeAll && p.Found.Backward.Messages > 0:
				case !want[at]:
					t.Errorf("%s: not known", at)
				}
				delete(want, at)
			}
			for at := range want {
				t.Errorf("%s: not found", at)
			}
			if backward != p.Found.Backward.Messages {
				t.Errorf("%d messages are received before they are sent, want %d", backward, p.Found.Backward.Messages)
			}
		})
	}
}

// knownErrors are those of traces that are known to have some: EZTrace leaves regions that it has not entered, and its events are out of order; clocks
// that were not corrected disagree; the piece of a run ends where bytes did; a patched trace has sends of a kind that nobody knows.
var knownErrors = map[string]string{
	"otf2.amg.8.piece": "[missing-part:24 receive-never-completed:21 send-never-completed:14 unmatched-receive:172 unmatched-send:182]",
	"otf2.ez.hello.4.io": "[left-before-all:592 lost-enter:3 lost-leave:3 receive-never-completed:4 request-in-use:1592 send-never-completed:4 undefined:2" +
		" unmatched-send:800]",
	"otf2.ez.mg.S.4":                      "[left-before-all:279 lost-enter:3 lost-leave:3 unmatched-receive:1776 unmatched-send:1776]",
	"otf2.mg.S.16.skew":                   skewed,
	"otf2.patched.mg.S.16.skew.bigendian": skewed,
	"otf2.patched.mg.S.4.unknown-id":      "[unmatched-receive:444]",
}

const skewed = "[left-before-all:1 received-before-sent:141]"

// Correct traces have no errors but those that are known.
func TestCorrect(t *testing.T) {
	names := tracetest.Bundled(t)
	if os.Getenv("PANDO_TRACES") != "" {
		names = tracetest.Larger(t)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "otf2.planted.") || strings.Contains(name, ".allrecords") {
			continue // see TestPlanted; events of all kinds, which mean nothing
		}
		got := errorsOf(of(t, open(t, tracetest.Anchor(t, name)), check.Options{Limit: 1}))
		if want := cmp.Or(knownErrors[name], "[]"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// An answer does not depend on what the trace is read from: an archive, or a file made of it.
func TestFile(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.16.skew", "otf2.ez.hello.4.io"} {
		src := open(t, tracetest.Anchor(t, name))
		file := stored.Source(t, src, store.Options{}).Source()
		if a, b := totals(of(t, src, check.Options{})), totals(of(t, file, check.Options{})); a != b {
			t.Errorf("%s\nof the archive:\n%s\nof the file:\n%s", name, a, b)
		}
	}
}

// Work ends with its context, and options that mean nothing are refused.
func TestOptions(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Of(ctx, tracegen.Program(4, 3, 1), check.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("of a context that is done: %v", err)
	}
	if _, err := check.Of(t.Context(), tracegen.Program(4, 3, 1), check.Options{Limit: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
	if _, err := check.ParseRule("message"); err == nil || !strings.Contains(err.Error(), "messages") {
		t.Errorf("a name that is nearly one: %v", err)
	}
}

// Who keeps some ranks of a trace has no errors for it: partners of messages, and parts of operations, that were left out are not missed.
func TestSomeRanks(t *testing.T) {
	src := tracegen.Program(6, 10, 1)
	some, err := edit.Select(src, edit.Selection{Locations: []uint64{0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	r := of(t, some, check.Options{})
	if worst, ok := r.Worst(); !ok || worst != check.Note {
		t.Errorf("of half the ranks, at worst %v:\n%s", worst, totals(r))
	}
}
