package columnar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
)

// TestWindow holds windows with filters against the rows of the whole trace whose place in time and space fits.
func TestWindow(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
			r := stored(t, src)
			w := load(t, src)
			first, last, _ := w.Span()
			dice := rand.New(rand.NewPCG(seed, 7))
			for range 4 {
				a, b := first+dice.Int64N(last-first+2), first+dice.Int64N(last-first+2)
				opt := Options{Format: Parquet, From: min(a, b), To: max(a, b)}
				if dice.IntN(2) == 0 {
					opt.Locations = []uint64{w.Locations[dice.IntN(len(w.Locations))].ID, w.Locations[0].ID}
				}
				if dice.IntN(2) == 0 {
					opt.Regions = []uint64{0, 2}
				}
				checkWindow(t, w, model.Window{From: opt.From, To: opt.To, Locations: opt.Locations, Regions: opt.Regions}, func(table string) *contents {
					return exported(t, r, table, opt)
				})
			}
		})
	}
}

func checkWindow(t *testing.T, w *wants, window model.Window, table func(name string) *contents) {
	t.Helper()
	if window.From == 0 && window.To == 0 {
		return // the zero options mean the whole trace in these tests
	}
	var calls, events, messages []string
	for _, c := range window.Calls(w.Calls()) {
		calls = append(calls, w.event(c.Location, c.Ordinal))
	}
	for _, e := range window.Events(w.Events()) {
		events = append(events, w.event(e.Location, e.Ordinal))
	}
	for _, m := range window.Messages(w.Match().Messages) {
		messages = append(messages, w.event(m.SendLocation, m.SendOrdinal))
	}
	checkNumbers(t, "calls", table("calls").column(t, "call"), calls)
	checkNumbers(t, "events", table("events").column(t, "event"), events)
	checkNumbers(t, "messages", table("messages").column(t, "send_event"), messages)
}

// checkNumbers compares two lists of numbers, which may be in different orders; see [checkRows].
func checkNumbers(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %d rows, want %d: %q, want %q", what, len(got), len(want), got, want)
	}
}

// TestWindowKeepsRows: a row of a window is the row of the whole trace, cell by cell.
func TestWindowKeepsRows(t *testing.T) {
	r := stored(t, bundled(t, "otf2.patched.mg.S.4.unknown-id"))
	ticks := exported(t, r, "events", Options{Format: Arrow}).column(t, "ticks")
	from, to := r.Info().First+number64(t, ticks[len(ticks)/3]), r.Info().First+number64(t, ticks[len(ticks)/2])
	for _, table := range []string{"calls", "messages", "events"} {
		whole := exported(t, r, table, Options{Format: Arrow})
		rows := map[string][]string{}
		for _, row := range whole.rows {
			rows[row[0]] = row
		}
		part := exported(t, r, table, Options{Format: Arrow, From: from, To: to})
		for _, row := range part.rows {
			if !slices.Equal(row, rows[row[0]]) {
				t.Errorf("%s: %q in the window, %q in the whole trace", table, row, rows[row[0]])
			}
		}
		if n := len(part.rows); n == 0 || n == len(whole.rows) {
			t.Errorf("%s: %d of %d rows in the window", table, n, len(whole.rows))
		}
	}
}

// TestOrder: times of calls and events do not decrease from row to row.
func TestOrder(t *testing.T) {
	r := stored(t, bundled(t, "otf2.mg.S.16.skew"))
	for table, column := range map[string]string{"calls": "start_ticks", "events": "ticks"} {
		previous := int64(0)
		for i, cell := range exported(t, r, table, Options{Format: Parquet, From: r.Info().First, To: (r.Info().First + r.Info().Last) / 2}).column(t, column) {
			now := number64(t, cell)
			if now < previous {
				t.Fatalf("%s, row %d: %s after %d", table, i, cell, previous)
			}
			previous = now
		}
	}
}

func number64(t *testing.T, cell string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
