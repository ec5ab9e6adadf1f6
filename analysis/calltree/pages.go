package calltree

// pages is a list that grows without being copied: while a long slice grows, it is in memory twice.
type pages[T any] struct {
	list [][]T
	n    int
}

// A page has pageLen entries.
const (
	pageBits = 12
	pageLen  = 1 << pageBits
)

// at returns an entry.
func (p *pages[T]) at(i uint32) *T { return &p.list[i>>pageBits][i%pageLen] }

// add appends an entry.
func (p *pages[T]) add(entry T) {
	if p.n%pageLen == 0 {
		p.list = append(p.list, make([]T, 0, min(p.n, pageLen))) // few entries take little
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, entry)
	p.n++
}
