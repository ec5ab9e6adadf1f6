package pattern_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/pattern"
)

// messages is how many messages a pair of ranks has.
type messages map[[2]int]uint64

// plant makes 100 messages of each pair that a pattern connects.
func plant(ranks int, connected func(a, b int) bool) messages {
	n := messages{}
	for a := range ranks {
		for b := range ranks {
			if a != b && connected(a, b) {
				n[[2]int{a, b}] = 100
			}
		}
	}
	return n
}

// traffic returns the messages, and a share of stray ones besides.
func (n messages) traffic(ranks int, stray float64, seed uint64) *pattern.Traffic {
	r := rand.New(rand.NewPCG(seed, 0))
	strays := messages{}
	for range int(stray * 100 * float64(len(n))) {
		if a, b := r.IntN(ranks), r.IntN(ranks); a != b {
			strays[[2]int{a, b}]++
		}
	}
	t := &pattern.Traffic{Ranks: ranks}
	add := func(k [2]int, m uint64) {
		t.Pairs = append(t.Pairs, pattern.Pair{From: k[0], To: k[1], Messages: m, Bytes: 8 * m})
	}
	for k, m := range n {
		add(k, m+strays[k])
		delete(strays, k)
	}
	for k, m := range strays {
		add(k, m)
	}
	slices.SortFunc(t.Pairs, func(a, b pattern.Pair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return t
}

// renumbered returns the messages of ranks that have other numbers, by chance.
func (n messages) renumbered(ranks int, seed uint64) messages {
	place, found := rand.New(rand.NewPCG(seed, 0)).Perm(ranks), messages{}
	for k, m := range n {
		found[[2]int{place[k[0]], place[k[1]]}] = m
	}
	return found
}

// neighbours connects ranks of which one coordinate differs by one, or all by one at most if corners is true.
func neighbours(sizes []int, wraps, corners bool) func(a, b int) bool {
	return func(a, b int) bool {
		steps := 0
		for _, n := range sizes {
			apart := (b%n - a%n + n) % n
			a, b = a/n, b/n
			switch {
			case apart == 0:
			case apart == 1 && (wraps || b >= 0):
				steps++
			case apart == n-1:
				steps++
			default:
				return false
			}
		}
		return steps == 1 || corners && steps > 0
	}
}

// open leaves out the pairs across the ends of a grid.
func open(sizes []int, of func(a, b int) bool) func(a, b int) bool {
	return func(x, y int) bool {
		a, b := x, y
		for _, n := range sizes {
			if apart := a%n - b%n; apart > 1 || apart < -1 {
				return false
			}
			a, b = a/n, b/n
		}
		return of(x, y)
	}
}

// planted are patterns that are put into traffic, and what is to be found.
func planted() map[string]struct {
	ranks     int
	connected func(a, b int) bool
} {
	type pattern = struct {
		ranks     int
		connected func(a, b int) bool
	}
	list := map[string]pattern{}
	for _, n := range []int{4, 5, 7, 16, 100, 1024} {
		list[fmt.Sprintf("line [%d] of %d", n, n)] = pattern{n, func(a, b int) bool { return a-b == 1 || b-a == 1 }}
		list[fmt.Sprintf("ring [%d] of %d", n, n)] = pattern{n, func(a, b int) bool { return (a+1)%n == b || (b+1)%n == a }}
	}
	for _, n := range []int{5, 16, 100, 1024} {
		list[fmt.Sprintf("star [] of %d", n)] = pattern{n, func(a, b int) bool { return a == 3 || b == 3 }}
		list[fmt.Sprintf("tree [] of %d", n)] = pattern{n, func(a, b int) bool { return b > 0 && (b-1)/2 == a || a > 0 && (a-1)/2 == b }}
	}
	for _, n := range []int{8, 16, 64, 1024} {
		list[fmt.Sprintf("butterfly [] of %d", n)] = pattern{n, func(a, b int) bool { x := a ^ b; return x&(x-1) == 0 }}
	}
	for _, n := range []int{5, 16, 100} {
		list[fmt.Sprintf("all to all [] of %d", n)] = pattern{n, func(a, b int) bool { return true }}
	}
	for _, sizes := range [][]int{{4, 2}, {4, 4}, {3, 5}, {7, 3}, {10, 10}, {4, 4, 4}, {3, 4, 5}, {8, 4, 2}, {32, 32}, {3, 3, 3, 3}} {
		n := 1
		for _, s := range sizes {
			n *= s
		}
		list[fmt.Sprintf("grid %v of %d", sizes, n)] = pattern{n, open(sizes, neighbours(sizes, false, false))}
		if slices.Min(sizes) > 2 {
			list[fmt.Sprintf("torus %v of %d", sizes, n)] = pattern{n, neighbours(sizes, true, false)}
			if len(sizes) == 2 && n > 16 {
				list[fmt.Sprintf("grid %v with corners of %d", sizes, n)] = pattern{n, open(sizes, neighbours(sizes, false, true))}
			}
		}
	}
	return list
}

// titleOf names what was found as the planted patterns are named.
func titleOf(p pattern.Pattern, ranks int) string {
	text := fmt.Sprintf("%v %v", p.Class, p.Sizes)
	if p.Corners {
		text += " with corners"
	}
	return text + fmt.Sprintf(" of %d", ranks)
}

func TestPlanted(t *testing.T) {
	for name, p := range planted() {
		n := plant(p.ranks, p.connected)
		for _, stray := range []float64{0, 0.01, 0.05} {
			if got := pattern.Classify(n.traffic(p.ranks, stray, 1)); titleOf(got, p.ranks) != name {
				t.Errorf("%s with %.0f %% of stray messages: %s, which explains %.3f", name, 100*stray, titleOf(got, p.ranks), got.Messages)
			}
		}
		if p.ranks < 16 {
			continue // few ranks are in an order often
		}
		want := fmt.Sprintf("irregular [] of %d", p.ranks)
		if strings.HasPrefix(name, "star") || strings.HasPrefix(name, "all") {
			want = name // which have no order of ranks
		}
		if got := pattern.Classify(n.renumbered(p.ranks, 2).traffic(p.ranks, 0, 1)); titleOf(got, p.ranks) != want {
			t.Errorf("%s, renumbered: %s, which explains %.3f", name, titleOf(got, p.ranks), got.Messages)
		}
	}
}

// Traffic by chance is irregular.
func TestIrregular(t *testing.T) {
	x := plant(64, func(a, b int) bool { return (a*a+b*b*7+a*b)%11 == 0 }).traffic(64, 0, 1)
	if got := pattern.Classify(x); got.Class != pattern.Irregular {
		t.Errorf("%+v", got)
	}
	if got := pattern.Classify(&pattern.Traffic{Ranks: 5}); got.Class != pattern.Silent {
		t.Errorf("no messages: %+v", got)
	}
}
