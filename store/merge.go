package store

// merge puts several sorted runs into one order: by time, then by the number of the run. It is a binary heap of runs,
// each with the time of its next item.
type merge struct{ heap []mergeItem }

type mergeItem struct {
	time int64
	run  int
}

func (a mergeItem) before(b mergeItem) bool {
	return a.time < b.time || a.time == b.time && a.run < b.run
}

// add adds a run whose first item has the given time.
func (m *merge) add(run int, time int64) {
	m.heap = append(m.heap, mergeItem{time, run})
	for i := len(m.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !m.heap[i].before(m.heap[parent]) {
			return
		}
		m.heap[i], m.heap[parent] = m.heap[parent], m.heap[i]
		i = parent
	}
}

// first returns the run whose item is next, -1 if all runs have ended.
func (m *merge) first() int {
	if len(m.heap) == 0 {
		return -1
	}
	return m.heap[0].run
}

// next says that the first run's item was taken, and what time the one after it has.
func (m *merge) next(time int64) {
	m.heap[0].time = time
	m.sink()
}

// end says that the first run's last item was taken.
func (m *merge) end() {
	last := len(m.heap) - 1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	if last > 0 {
		m.sink()
	}
}

func (m *merge) sink() {
	h, top := m.heap, m.heap[0]
	i := 0
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(top) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = top
}
