package waits

import "cmp"

// link is a wait, as far as the critical path needs it.
type link struct {
	start, end   int64
	known        int64 // time; links are in its order
	call         uint64
	place, cause int32
	kind         Kind
}

// compare orders the links of a place.
func (l *link) compare(o *link) int {
	return cmp.Or(cmp.Compare(l.end, o.end), cmp.Compare(l.start, o.start), cmp.Compare(l.call, o.call))
}

// queue has the links of a place as a heap: that at 0 is the last one, and that at i is behind those at 2i+1 and 2i+2. Links come in nearly
// falling order.
type queue []link

// upTo drops links behind a time, and returns the last one that is left, nil if none is. See [backward.last] for what it passes over.
func (q *queue) upTo(now int64, visited map[int32]bool) *link {
	for len(*q) > 0 {
		l := &(*q)[0]
		if l.end <= now && l.cause != l.place && (l.end < now || !visited[l.cause]) {
			return l
		}
		q.pop()
	}
	return nil
}

func (q *queue) add(l *link) {
	h := append(*q, *l)
	for i := len(h) - 1; i > 0 && h[i].compare(&h[(i-1)/2]) > 0; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*q = h
}

// pop drops the last link.
func (q *queue) pop() {
	h := *q
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < n && h[child+1].compare(&h[child]) > 0 {
			child++
		}
		if child >= n || h[child].compare(&h[i]) <= 0 {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*q = h
}
