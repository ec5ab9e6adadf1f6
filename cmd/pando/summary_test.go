package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/pandotrace/pando/internal/model"
)

// summaryLine is a row of `pando summary --json`, with what the tests look at.
type summaryLine struct {
	Count     uint64
	Inclusive *big.Int `json:"inclusive_ticks"`
	Exclusive *big.Int `json:"exclusive_ticks"`
	Busy      *big.Int `json:"busy_ticks"`
	Bytes     *big.Int `json:"send_bytes"`
	Region    *uint64
	From      uint64 `json:"send_location"`
	To        uint64 `json:"receive_location"`
}

func summaryOf(t *testing.T, args ...string) (lines []summaryLine) {
	t.Helper()
	var answer struct{ Rows []summaryLine }
	if err := json.Unmarshal([]byte(output(t, append([]string{"summary", "--json"}, args...)...)), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Rows
}

// TestSummary compares what is printed of some windows with what the naive model adds up.
func TestSummary(t *testing.T) {
	const name = "otf2.amg.8.piece"
	m, path := load(t, name), converted(t, name)
	first, last, _ := m.Span()
	calls, messages := m.Calls(), m.Match().Messages
	for _, part := range [][2]int64{{0, 100}, {20, 21}, {50, 50}, {90, 100}} {
		w := model.Window{From: first + (last-first)*part[0]/100, To: first + (last-first)*part[1]/100 + 1}
		want := m.Summary(&w, calls, messages)
		bounds := []string{path, "--from", fmt.Sprint(w.From - first), "--to", fmt.Sprint(w.To - first)}
		checkRegions(t, want, summaryOf(t, bounds...))
		checkPairs(t, want, summaryOf(t, append(bounds, "--by", "pair")...))
	}
}

func checkRegions(t *testing.T, want *model.Summary, got []summaryLine) {
	t.Helper()
	sums := map[uint64]summaryLine{}
	for _, c := range want.Calls {
		sum, ok := sums[c.Region]
		if !ok {
			sum = summaryLine{Inclusive: new(big.Int), Exclusive: new(big.Int), Busy: new(big.Int)}
		}
		sum.Count += c.Count
		sum.Inclusive.Add(sum.Inclusive, c.Inclusive)
		sum.Exclusive.Add(sum.Exclusive, c.Exclusive)
		sum.Busy.Add(sum.Busy, c.Busy)
		sums[c.Region] = sum
	}
	for i, l := range got {
		w := sums[*l.Region]
		if l.Count != w.Count || l.Inclusive.Cmp(w.Inclusive) != 0 || l.Exclusive.Cmp(w.Exclusive) != 0 || l.Busy.Cmp(w.Busy) != 0 {
			t.Errorf("%+v, want %+v", l, w)
		}
		if i > 0 && l.Exclusive.Cmp(got[i-1].Exclusive) > 0 {
			t.Errorf("%+v comes after %+v", l, got[i-1])
		}
	}
	if len(got) != len(sums) || len(got) == 0 {
		t.Errorf("%d regions, want %d", len(got), len(sums))
	}
}

func checkPairs(t *testing.T, want *model.Summary, got []summaryLine) {
	t.Helper()
	found := map[[2]uint64]summaryLine{}
	for _, l := range got {
		found[[2]uint64{l.From, l.To}] = l
	}
	for _, w := range want.Messages {
		l, ok := found[[2]uint64{w.SendLocation, w.ReceiveLocation}]
		if !ok || l.Count != w.Count || l.Bytes.Cmp(w.Bytes) != 0 {
			t.Errorf("%+v, want %+v", l, w)
		}
	}
	if len(got) != len(want.Messages) {
		t.Errorf("%d pairs, want %d", len(got), len(want.Messages))
	}
}
