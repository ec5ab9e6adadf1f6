package comparison

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// likeness makes the costs of n locations with each other: the further apart, the less alike. Not all are proven.
func likeness(n int) *contrast.Likeness {
	l := &contrast.Likeness{Names: [2]string{"a.pando", "a.pando"}, Level: align.Tree, Single: true, Pairs: n * (n - 1) / 2}
	var places []trace.Place
	var events []uint64
	var groups []int
	for i := range n {
		places = append(places, trace.Place{Location: uint64(i), Label: "rank " + string(rune('a'+i))})
		events, groups = append(events, 1000), append(groups, i)
		for j := range i + 1 {
			c := uint64(10 * (i - j))
			l.Costs = append(l.Costs, align.Cost{Low: c - c%20, High: c})
		}
	}
	l.Locations, l.Events, l.Groups = [2][]trace.Place{places, places}, [2][]uint64{events, events}, [2][]int{groups, groups}
	return l
}

func TestLikeness(t *testing.T) {
	l := likeness(5)
	r := NewLikeness(l)
	var out bytes.Buffer
	if err := r.Write(&out, report.JSON); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Pairs []struct {
			Lowest float64 `json:"lowest_similarity"`
		} `json:"pairs"`
		Least  float64 `json:"least_similarity"`
		Proven int     `json:"proven_pairs"`
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	// ranks a and e differ by 40 of 2,000 events: the score is 1,960 of 2,000
	if want := (0.98 + 0.5) / 1.5; len(back.Pairs) != 10 || math.Abs(back.Least-want) > 1e-12 || back.Proven != 4 {
		t.Errorf("%+v", back)
	}
	out.Reset()
	if err := r.Write(&out, report.Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.pando: 5 locations, 10 pairs\n", "least 98.7 % between rank a and rank e\n", "of 4 of 10 pairs", "like no other: 5 locations", "RANK E"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &out)
		}
	}
}

// The cells of a picture are similarities; neighbours share a row if there are many.
func TestLikenessPicture(t *testing.T) {
	l := likeness(20)
	r := NewLikeness(l)
	p := r.Picture()
	for i := range 20 {
		for j := range 20 {
			if s, _ := l.At(i, j); p.Values[20*i+j] != s.Lowest {
				t.Fatalf("cell %d, %d is %f, not %f", i, j, p.Values[20*i+j], s.Lowest)
			}
		}
	}
	g := r.grouped(8)
	sum := 0.0
	for i := range 3 {
		for j := range 3 {
			s, _ := l.At(3+i, j)
			sum += s.Lowest
		}
	}
	if len(g.rows) != 7 || math.Abs(g.values[7]-sum/9) > 1e-12 || g.values[0] > 1 || slices.Min(g.values) <= 0 {
		t.Errorf("%d rows, %v", len(g.rows), g.values[:8])
	}
	var out bytes.Buffer
	if err := r.Write(&out, report.Text); err != nil || !strings.Contains(out.String(), "rank t  ") || strings.Contains(out.String(), "each line") {
		t.Errorf("%v\n%s", err, &out)
	}
	if hint := p.Hint(0, 0); hint != "the same calls" {
		t.Error(hint)
	}
}
