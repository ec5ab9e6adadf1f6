package pattern

import "slices"

// grid lays ranks out, those that follow each other along the first dimension.
type grid struct {
	sizes []int
	wraps []bool
}

// step returns the dimension along which two ranks are neighbours; wrapped says that they are so across the ends. ok is false if they are none. Both
// are less than the product of the sizes.
func (g *grid) step(a, b int) (dimension int, wrapped, ok bool) {
	dimension = -1
	for d, n := range g.sizes {
		x, y := a%n, b%n
		a, b = a/n, b/n
		if x == y {
			continue
		}
		if dimension >= 0 {
			return 0, false, false
		}
		dimension = d
		switch apart := max(x, y) - min(x, y); {
		case apart == 1:
		case apart == n-1:
			wrapped = true
		default:
			return 0, false, false
		}
	}
	return dimension, wrapped, dimension >= 0
}

// near reports whether two ranks are neighbours, along a dimension or diagonally.
func (g *grid) near(a, b int) bool {
	if a == b {
		return false
	}
	for d, n := range g.sizes {
		apart := max(a%n, b%n) - min(a%n, b%n)
		if apart > 1 && !(g.wraps[d] && apart == n-1) {
			return false
		}
		a, b = a/n, b/n
	}
	return true
}

// pairs gives each pair of neighbours once. Those across the ends are given for dimensions that wrap.
func (g *grid) pairs(yield func(a, b int)) {
	ranks := 1
	for _, n := range g.sizes {
		ranks *= n
	}
	for rank := range ranks {
		stride := 1
		for d, n := range g.sizes {
			switch x := rank / stride % n; {
			case x+1 < n:
				yield(rank, rank+stride)
			case g.wraps[d] && n > 2:
				yield(rank-(n-1)*stride, rank)
			}
			stride *= n
		}
	}
}

// lines returns a line and a ring.
func lines(t *counted) []*candidate {
	if t.Ranks < 2 {
		return nil
	}
	return []*candidate{gridOf(t, []int{t.Ranks})}
}

// grids returns the grid or torus of a number of dimensions that explains most, the first one of several that explain as much.
func grids(dimensions int, diagonals bool) func(t *counted) []*candidate {
	return func(t *counted) (list []*candidate) {
		for sizes := range factors(t.Ranks, dimensions) {
			if dimensions > 2 && !diagonals && slices.Max(sizes) == 2 {
				continue // that is a butterfly
			}
			if !mayExplain(t, sizes, diagonals) {
				continue
			}
			c := gridOf(t, sizes)
			if diagonals {
				c.Corners, c.has = true, (&grid{c.Sizes, c.Wraps}).near
			}
			if c.explain(t); (list == nil || c.Messages > list[0].Messages) && c.used(t) >= usedShare {
				list = []*candidate{c}
			}
		}
		return list
	}
}

// gridOf returns the grid or torus of some sizes. The ends of a dimension meet if most of the pairs there have messages.
func gridOf(t *counted, sizes []int) *candidate {
	g := &grid{slices.Clone(sizes), make([]bool, len(sizes))}
	across, stride := 0, 1
	for d, n := range sizes {
		used := 0
		for rank := range t.Ranks {
			if rank/stride%n == 0 && t.joined(rank, rank+(n-1)*stride) {
				used++
			}
		}
		if g.wraps[d] = n > 2 && float64(used) >= usedShare*float64(t.Ranks/n); g.wraps[d] {
			across++
		}
		stride *= n
	}
	class := [2][2]Class{{Line, Ring}, {Grid, Torus}}[min(len(sizes)-1, 1)][min(across, 1)]
	return &candidate{
		Pattern: Pattern{Class: class, Sizes: g.sizes, Wraps: g.wraps},
		has: func(from, to int) bool {
			d, wrapped, ok := g.step(from, to)
			return ok && (!wrapped || g.wraps[d])
		},
		used: share(g.pairs),
	}
}

// mayExplain reports whether the messages whose shifts a grid has at all, with diagonals or without, are as many as must be explained. It saves looking at
// pairs: numbers with many factors have a thousand grids.
func mayExplain(t *counted, sizes []int, diagonals bool) bool {
	shifts, stride := []int{0}, 1
	for _, n := range sizes {
		steps := []int{stride, -stride, stride * (n - 1), -stride * (n - 1)}
		from := shifts
		if !diagonals {
			from = shifts[:1]
		}
		for _, start := range from {
			for _, step := range steps {
				shifts = append(shifts, start+step)
			}
		}
		stride *= n
	}
	slices.Sort(shifts)
	var sum uint64
	for _, shift := range slices.Compact(shifts) {
		if shift != 0 {
			sum += t.shifts[shift]
		}
	}
	return float64(sum) >= leastShare*float64(t.messages)
}

// factors gives all lists of that many factors of a number, each 2 at least, in all orders. Lists are valid until the next one.
func factors(n, count int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) { factorsOf(n, make([]int, count), 0, yield) }
}

// factorsOf fills in the factors from a place on, and reports whether more lists are wanted.
func factorsOf(n int, list []int, at int, yield func([]int) bool) bool {
	if at == len(list)-1 {
		list[at] = n
		return n < 2 || yield(list)
	}
	for f := 2; f <= n/2; f++ {
		if n%f == 0 {
			if list[at] = f; !factorsOf(n/f, list, at+1, yield) {
				return false
			}
		}
	}
	return true
}
