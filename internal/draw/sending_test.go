package draw

import (
	"testing"

	"github.com/pandotrace/pando/store"
)

// Sums count the messages that begin in each part of the window; in the first one also those that are under way.
func TestSums(t *testing.T) {
	defer func(n uint64) { mostCounted = n }(mostCounted)
	mostCounted = 500
	r := open(t, "otf2.mg.S.8.snapmark")
	for _, share := range [][2]float64{{0, 1}, {0.1, 1}, {0.5, 0.95}} {
		c := chart(t, r, share[0], share[1], 700)
		if c.Messages <= mostCounted || len(c.Sent) < 3 {
			t.Fatalf("%d messages in %d parts", c.Messages, len(c.Sent))
		}
		want := make([]uint64, len(c.Sent))
		for m, err := range r.Window(c.timeline.From, c.timeline.To).Messages() {
			if err != nil {
				t.Fatal(err)
			}
			place := 0
			for i, s := range c.Sent {
				if min(m.SendTime, m.ReceiveTime) >= s.From {
					place = i
				}
			}
			want[place]++
		}
		end := c.timeline.From
		for i, s := range c.Sent {
			if s.Count != want[i] || s.From != end || s.To <= s.From {
				t.Errorf("%v: part %d of %d, %d to %d, has %d messages, want %d", share, i, len(c.Sent), s.From, s.To, s.Count, want[i])
			}
			end = s.To
		}
		if end != c.timeline.To {
			t.Errorf("parts end at %d, want %d", end, c.timeline.To)
		}
	}
}

// Sums and counts agree about a part of a trace.
func TestCountsAndSums(t *testing.T) {
	r := open(t, "otf2.mg.S.8.snapmark")
	c := chart(t, r, 0, 1, 700)
	all := uint64(0)
	for _, s := range c.Sent {
		all += s.Count
	}
	if all != c.Messages || all <= maxLines || all > mostCounted {
		t.Errorf("%d messages are drawn, want %d", all, c.Messages)
	}
	s, err := r.Window(c.timeline.From, c.timeline.To).Summary(store.SummaryMessages)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Messages {
		all -= m.Count
	}
	if all != 0 {
		t.Errorf("%d messages more than the summary has", int64(all))
	}
}

func TestRate(t *testing.T) {
	for v, want := range map[float64]string{0: "0 per s", 3.14159: "3.14 per s", 9999: "9,999 per s", 35_600: "35.6 per ms", 2.5e7: "25 per µs", 4e13: "40,000 per ns"} {
		if got := rate(v); got != want {
			t.Errorf("%g is %s, want %s", v, got, want)
		}
	}
}
