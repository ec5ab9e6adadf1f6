package contrast

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"time 5%":                   {Of: OfTime, Bound: 0.05},
		" time  0.5 % ":             {Of: OfTime, Bound: 0.005},
		"region MPI_Allreduce 10%":  {Of: OfRegion, Region: "MPI_Allreduce", Bound: 0.1},
		"region operator new() 10%": {Of: OfRegion, Region: "operator new()", Bound: 0.1},
		"structure 0.99":            {Of: OfStructure, Bound: 0.99},
		"structure 99%":             {Of: OfStructure, Bound: 0.99},
	} {
		got, err := ParseLimit(text)
		if got.text = ""; err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "time", "time 5", "time -5%", "time NaN%", "time inf%", "time 1e99%", "region 10%", "region x 10", "structure 2", "structure -1", "speed 5%", "time 5% 6%"} {
		if l, err := ParseLimit(text); err == nil {
			t.Errorf("%q is %+v", text, l)
		}
	}
}

// FuzzParseLimit: whatever is accepted is a limit that can be held.
func FuzzParseLimit(f *testing.F) {
	for _, text := range []string{"time 5%", "region a b 10%", "structure 0.99", "time 1e-300%", "region  %"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLimit(text)
		if err != nil {
			return
		}
		if !(l.Bound >= 0 && l.Bound <= mostBound) || l.Of == OfStructure && l.Bound > 1 || (l.Region != "") != (l.Of == OfRegion) || l.String() != text {
			t.Errorf("%q is %+v", text, l)
		}
		again, err := ParseLimit(" " + strings.TrimSpace(text) + " ")
		if again.text = l.text; err != nil || again != l {
			t.Errorf("%q is %+v, with spaces %+v, %v", text, l, again, err)
		}
	})
}

// Quantiles are exact to 3 %.
func TestDistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(-1<<40, 1<<40), 1, 200).Draw(t, "differences")
		cut := rapid.IntRange(0, len(list)).Draw(t, "cut")
		var q, other Distribution
		for i, d := range list {
			if i < cut {
				q.Add(d)
			} else {
				other.Add(d)
			}
		}
		q.Merge(&other)
		for _, share := range []float64{0, 0.25, 0.5, 0.9, 1} {
			want, got := float64(naiveQuantile(list, share)), float64(q.Quantile(share))
			if math.Abs(got-want) > math.Abs(want)/32+0.5 {
				t.Fatalf("quantile %v of %v is %v, not %v", share, list, got, want)
			}
		}
	})
}

func naiveQuantile(list []int64, share float64) int64 {
	want := max(1, int(math.Ceil(share*float64(len(list)))))
	for _, x := range list {
		at, below := 0, 0
		for _, y := range list {
			if y <= x {
				at++
			}
			if y < x {
				below++
			}
		}
		if at >= want && below < want {
			return x
		}
	}
	return 0
}

// The sign test has the values of tables of the binomial distribution, and both ways to count agree where they meet.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		slower, faster uint64
		want           float64
	}{{0, 0, 1}, {1, 0, 1}, {5, 0, 0.0625}, {8, 2, 0.109375}, {10, 10, 1}, {60, 40, 0.0569}} {
		if got := signTest(c.slower, c.faster); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%d to %d: %v, not %v", c.slower, c.faster, got, c.want)
		}
	}
	exact, normal := signTest(540, 460), signTest(541, 461)
	if math.Abs(exact-normal) > 0.002 {
		t.Errorf("%v and %v", exact, normal)
	}
}
