package equal

// findCircles divides things 0 to n-1 into circles of those that refer to each other, by whatever way; most are alone. It visits each
// circle, numbered from 1 on, after those that its members refer to. Which circles there are does not depend on the order of the things,
// and chains of references may be of any length: the stack is its own.
//
// Source: Tarjan, "Depth-first search and linear graph algorithms", 1972.
func findCircles(n int, references func(i int) []int, visit func(circle int, members []int)) {
	w := &circleWalk{order: make([]int, n), low: make([]int, n), waits: make([]bool, n), references: references, visit: visit}
	for i := range n {
		if w.order[i] == 0 {
			w.walk(i)
		}
	}
}

type circleWalk struct {
	order   []int  // in which things were entered, from 1 on; 0 for those that were not
	low     []int  // the earliest thing that one of its descendants refers to
	waits   []bool // belongs to a circle that is not complete
	path    []step
	waiting []int
	entered int
	circles int

	references func(i int) []int
	visit      func(circle int, members []int)
}

// step is a thing on the path, with those that it refers to and that are still to be entered.
type step struct {
	thing int
	left  []int
}

func (w *circleWalk) enter(i int) {
	w.entered++
	w.order[i], w.low[i], w.waits[i] = w.entered, w.entered, true
	w.waiting = append(w.waiting, i)
	w.path = append(w.path, step{i, w.references(i)})
}

func (w *circleWalk) walk(root int) {
	w.enter(root)
	for len(w.path) > 0 {
		top := &w.path[len(w.path)-1]
		if len(top.left) == 0 {
			w.leave(top.thing)
			continue
		}
		to := top.left[0]
		top.left = top.left[1:]
		switch {
		case w.order[to] == 0:
			w.enter(to)
		case w.waits[to]:
			w.low[top.thing] = min(w.low[top.thing], w.order[to])
		}
	}
}

// leave ends with a thing: it completes a circle, or its circle begins further up the path.
func (w *circleWalk) leave(i int) {
	w.path = w.path[:len(w.path)-1]
	if len(w.path) > 0 {
		above := w.path[len(w.path)-1].thing
		w.low[above] = min(w.low[above], w.low[i])
	}
	if w.low[i] < w.order[i] {
		return
	}
	at := len(w.waiting) - 1
	for w.waiting[at] != i {
		at--
	}
	w.circles++
	for _, member := range w.waiting[at:] {
		w.waits[member] = false
	}
	w.visit(w.circles, w.waiting[at:])
	w.waiting = w.waiting[:at]
}
