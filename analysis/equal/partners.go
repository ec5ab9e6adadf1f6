package equal

// partners tell which definitions of two traces belong together: for each the place of its partner in the other trace, -1 without.
type partners struct{ toB, toA []int }

func newPartners(a, b int) partners { return partners{unmatched(a), unmatched(b)} }

func unmatched(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// matchBy matches the n-th definition of a key with the n-th, among those that have no partner yet.
func matchBy[K comparable](p *partners, key func(side, i int) (K, bool)) {
	places := map[K][]int{}
	for j, partner := range p.toA {
		if partner >= 0 {
			continue
		}
		if k, ok := key(1, j); ok {
			places[k] = append(places[k], j)
		}
	}
	for i, partner := range p.toB {
		if partner >= 0 || len(places) == 0 {
			continue
		}
		if k, ok := key(0, i); ok && len(places[k]) > 0 {
			j := places[k][0]
			p.toB[i], p.toA[j], places[k] = j, i, places[k][1:]
		}
	}
}
