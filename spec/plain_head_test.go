package spec

// contexts returns the number of contexts of successors.
func (s *plainStatistics) contexts() int { return 2 + len(s.successors) }

func (s *plainStatistics) readSuccessors(p *plain) {
	s.successors = map[uint64]int{}
	shape := uint64(0)
	for i := range p.uvarint() {
		shape += p.uvarint()
		s.successors[shape] = 2 + int(i)
		shape++
	}
}

// structured decodes a block of the structure model that has values of the contexts behind those of tokens only.
func (s *plainStatistics) structured(b []byte, sizes ...int) [][]uint64 {
	counts := make([]int, 2*s.contexts())
	values := s.structure.decode(b, append(counts, sizes...))
	var columns [][]uint64
	for _, n := range sizes {
		columns, values = append(columns, values[:n]), values[n:]
	}
	return columns
}

func (s *plainStatistics) readRoster(p *plain) {
	s.roster = map[uint64][]plainRun{}
	first, slices, shares := p.uvarint(), int(p.uvarint()), int(p.uvarint())
	columns := s.structured(p.bytes(), 0, 0, 0, 0, 0, 0, slices, shares, shares)
	next := map[uint64]uint64{} // ordinal by location
	s.ids = map[uint64]uint64{}
	id := uint64(0)
	at := 0
	for i, n := range columns[6] {
		location := uint64(0)
		for range n {
			location += columns[7][at]
			r := plainRun{location: location, count: columns[8][at] + 1}
			if _, ok := next[location]; !ok {
				next[location] = p.uvarint()
				if next[location] == 0 {
					id += p.varint()
					s.ids[location] = id
				}
			}
			r.first = next[location]
			next[location] += r.count
			number := first + uint64(i)
			s.roster[number] = append(s.roster[number], r)
			location++
			at++
		}
	}
	p.endFilled()
}

// plainHead is what of a slice stands before its values: a chain.
type plainHead struct {
	*plainStatistics
	*plainChain
	runs []plainRun
}

// begin begins to read the chain.
func (h *plainHead) begin(b []byte) { h.plainChain = newPlainChain(h.structure, b) }

// column reads n values of a context behind those of tokens.
func (h *plainHead) column(context, n int) (values []uint64) {
	for range n {
		values = append(values, h.next(2*h.contexts()+context))
	}
	return values
}

// readRuns returns the number of tokens of each run. Of phases and residuals there is only their number yet.
func (h *plainHead) readRuns() (tokens []uint64) {
	n := len(h.runs)
	tokens, phases, residuals := h.column(0, n), h.column(1, n), h.column(2, n)
	for i := range h.runs {
		h.runs[i].phases = make([][2]uint64, phases[i])
		h.runs[i].lattice = phases[i] > 0
		h.runs[i].residuals = make([]uint64, residuals[i])
	}
	return tokens
}

func (h *plainHead) readHeads() {
	phases, lattices, residuals := 0, 0, 0
	for i := range h.runs {
		phases += len(h.runs[i].phases)
		residuals += len(h.runs[i].residuals)
		if h.runs[i].lattice {
			lattices++
		}
	}
	columns := map[int][]uint64{}
	sizes := map[int]int{3: phases - lattices, 4: phases, 5: phases, 9: residuals}
	for _, c := range []int{3, 4, 5, 9} {
		columns[c] = h.column(c, sizes[c])
	}
	next := func(c int) uint64 {
		v := columns[c][0]
		columns[c] = columns[c][1:]
		return v
	}
	for i := range h.runs {
		for j := range h.runs[i].phases {
			p := &h.runs[i].phases[j]
			if p[0] = 1 << 62; j+1 < len(h.runs[i].phases) {
				p[0] = next(3) + 1
			}
			p[1] = next(5) << next(4)
		}
	}
	for i := range h.runs {
		event := uint64(0)
		for j := range h.runs[i].residuals {
			event += next(9)
			h.runs[i].residuals[j] = event
			event++
		}
	}
}

// readTokens expands the tokens of all runs.
func (h *plainHead) readTokens(d *plainDictionary, tokens []uint64) {
	for i := range h.runs {
		context := 1
		for range tokens[i] {
			shape := h.next(context)
			if context = h.successors[shape]; context > 0 {
				met["token after a listed shape"]++
			}
			count := h.next(h.contexts()+context) + 1
			h.runs[i].events = d.expand(h.runs[i].events, shape, count)
		}
		if uint64(len(h.runs[i].events)) != h.runs[i].count {
			panic("another number of events than the roster has")
		}
	}
}
