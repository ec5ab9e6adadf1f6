package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// TestMatrix: the cells of a matrix are what the messages of the trace add up to, one by one.
func TestMatrix(t *testing.T) {
	f := opened(t, "otf2.mg.S.8.snapmark")
	w, err := f.ParseWindow("50%", "99.5%")
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMatrix(f, w, true)
	if err != nil {
		t.Fatal(err)
	}
	type sums struct {
		count   uint64
		bytes   uint64
		latency int64
		least   int64
	}
	want := map[[2]string]sums{}
	for message, err := range w.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		key := [2]string{f.Label(message.SendLocation), f.Label(message.ReceiveLocation)}
		s, ok := want[key]
		took := message.ReceiveTime - message.SendTime
		if !ok || took < s.least {
			s.least = took
		}
		s.count, s.bytes, s.latency = s.count+1, s.bytes+message.SendLength, s.latency+took
		want[key] = s
	}
	for _, c := range m.Cells {
		s := want[[2]string{m.Ends[c.From].Label, m.Ends[c.To].Label}]
		if c.Count != s.count || c.Latency.Count != s.count || c.Bytes != (trace.Sum{Lo: s.bytes}) || c.Latency.Sum != trace.SumOf(s.latency) || c.Latency.Least != s.least {
			t.Errorf("%s to %s: %+v, want %+v", m.Ends[c.From].Label, m.Ends[c.To].Label, c, s)
		}
	}
	if len(m.Cells) != len(want) || len(m.Ends) != 8 || m.Ends[3].Label != "rank 3" || len(want) < 20 {
		t.Errorf("%d cells, want %d; %v", len(m.Cells), len(want), m.Ends)
	}
	checkGrouped(t, m)
}

// checkGrouped: a matrix of fewer rows has the same sums.
func checkGrouped(t *testing.T, m *Matrix) {
	t.Helper()
	for _, n := range []int{1, 3, 4, 8, 100} {
		g := m.Grouped(n)
		var count, want uint64
		var latency, wanted Spread
		for i := range g.Cells {
			count += g.Cells[i].Count
			latency.Join(&g.Cells[i].Latency)
		}
		for i := range m.Cells {
			want += m.Cells[i].Count
			wanted.Join(&m.Cells[i].Latency)
		}
		if len(g.Ends) > n || count != want || latency != wanted {
			t.Errorf("in %d rows: %d ends, %d messages of %d, %+v, want %+v", n, len(g.Ends), count, want, latency, wanted)
		}
	}
	for _, of := range Measures() {
		var wide, narrow bytes.Buffer
		m.WriteText(&wide, of, 0)
		m.WriteText(&narrow, of, 21)
		if lines := strings.Count(wide.String(), "\n"); lines != 13 || !strings.Contains(wide.String(), "rank 7") || !strings.Contains(wide.String(), "█") {
			t.Errorf("%d lines:\n%s", lines, &wide)
		}
		if narrow.Len() >= wide.Len() {
			t.Errorf("narrow:\n%s", &narrow)
		}
		t.Logf("\n%s", &wide)
	}
}
