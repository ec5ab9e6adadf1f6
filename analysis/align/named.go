package align

// named adds up the cost of the pairs that names made: see [Names].
type named struct {
	pairs []move // the way of the table
	next  int    // of these
	ends  [2]int // elements before it
	cost  Cost
}

// work goes on; ok is false if it needs a pair.
func (n *named) work(s *Aligner, t *table) (need pair, ok bool) {
	for ; n.next < len(n.pairs); n.next++ {
		i, j := &n.ends[0], &n.ends[1]
		switch n.pairs[n.next] {
		case onlyA:
			n.cost = n.cost.add(t.gapA[*i])
			*i++
		case onlyB:
			n.cost = n.cost.add(t.gapB[*j])
			*j++
		default:
			x, y := &t.a[*i], &t.b[*j]
			c, ok := s.at(s.inOrder(x.call, y.call))
			if !ok {
				return s.inOrder(x.call, y.call), false
			}
			count, rest := rests(x, y)
			n.cost = n.cost.plus(c.whole.times(count).add(rest))
			*i++
			*j++
		}
	}
	return pair{}, true
}
