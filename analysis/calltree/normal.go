package calltree

import (
	"cmp"
	"context"
	"slices"

	"github.com/pandotrace/pando/analysis/memory"
)

// Normal says how calls are changed before they are compared.
type Normal struct {
	// Through are names whose calls are transparent: what they have inside stands in their place.
	Through map[Name]bool
	// Spread puts what a call has inside that is directly inside of a call of the same name behind it: f(a f(b) c) becomes f(a f b c). The
	// shape of a recursion follows the data, not the program.
	Spread bool
	// Memory bounds the memory of the forest, in bytes, with what it had before. 0 means 256 MiB; more is a [MemoryError].
	Memory int64
}

// Normalise returns calls as they are after a change. The order of enters is the same before and after.
func (f *Forest) Normalise(ctx context.Context, roots []Node, how Normal) ([]Node, error) {
	how.Memory = cmp.Or(how.Memory, memory.Usual)
	if !f.changes(roots, how) {
		return roots, nil
	}
	n := normaliser{forest: f, how: how, parts: map[under]*part{}}
	out := make([]Node, len(roots))
	for _, r := range roots {
		n.want(under{r, f.Name(r)})
	}
	if err := n.work(ctx); err != nil {
		return nil, err
	}
	for i, r := range roots {
		out[i] = n.parts[under{r, f.Name(r)}].call
	}
	return out, nil
}

// changes reports whether a change makes a difference to some calls.
func (f *Forest) changes(roots []Node, how Normal) (changes bool) {
	f.Nested(roots, func(caller, callee Name) {
		changes = changes || how.Through[callee] || how.Spread && caller != 0 && caller == callee
	})
	return changes
}

// under is what a call or group has inside, below a call of a name.
type under struct {
	node Node
	name Name
}

// part is what something becomes below a call of a name.
type part struct {
	inside  *content
	spliced bool // inside is wanted, not the call
	call    Node
}

type normaliser struct {
	forest *Forest
	how    Normal
	parts  map[under]*part
	order  []under
	kept   int64 // bytes of parts
	memory []Run // of find
}

// partBytes is what a part takes without what is inside of it, in bytes.
const partBytes = 96

func (n *normaliser) want(u under) *part {
	p := n.parts[u]
	if p == nil {
		p = &part{}
		n.parts[u] = p
		n.order = append(n.order, u)
	}
	return p
}

// splices reports whether what is inside of a node stands in the list of a call of a name, and whether it stands behind a call of its own.
func (n *normaliser) splices(node Node, name Name) (splices, behind bool) {
	f := n.forest
	switch {
	case f.IsGroup(node), n.how.Through[f.Name(node)]:
		return true, false
	case n.how.Spread && name != 0 && f.Name(node) == name:
		return true, true
	}
	return false, false
}

// work finds all parts that are wanted, the inner ones first: these have smaller numbers.
func (n *normaliser) work(ctx context.Context) error {
	f := n.forest
	for i := 0; i < len(n.order); i++ {
		u := n.order[i]
		for _, r := range f.Runs(u.node) {
			if splices, _ := n.splices(r.Node, u.name); splices {
				n.want(under{r.Node, u.name}).spliced = true
			} else {
				n.want(under{r.Node, f.Name(r.Node)})
			}
		}
	}
	slices.SortFunc(n.order, func(a, b under) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.name, b.name)) })
	for i, u := range n.order {
		if i%checkedSteps == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if n.find(u, n.parts[u]); f.Memory()+n.kept+partBytes*int64(len(n.order)) > n.how.Memory {
			return &MemoryError{n.how.Memory}
		}
	}
	return nil
}

// find finds what a part becomes, when those inside of it are known.
func (n *normaliser) find(u under, p *part) {
	f := n.forest
	inside := &content{short: n.memory[:0]}
	for i := range f.Runs(u.node) {
		r := f.Runs(u.node)[i] // calls that are added may move the list
		splices, behind := n.splices(r.Node, u.name)
		switch {
		case behind:
			n.behind(inside, Run{f.add(u.name, nil), 1}, n.parts[under{r.Node, u.name}].inside, r.Count)
		case splices:
			f.appendTimes(inside, n.parts[under{r.Node, u.name}].inside, r.Count)
		default:
			f.pushRun(inside, Run{n.parts[under{r.Node, f.Name(r.Node)}].call, r.Count})
		}
	}
	if inside.long == nil {
		n.memory = inside.short
	}
	if p.spliced {
		p.inside = inside.clone()
		n.kept += p.inside.memory()
	}
	if f.Name(u.node) == u.name { // groups have none
		p.call = f.close(u.name, inside)
	}
}

// behind appends a call and what stands behind it, some times.
func (n *normaliser) behind(to *content, call Run, rest *content, times uint64) {
	f := n.forest
	if times == 1 {
		f.pushRun(to, call)
		f.append(to, rest)
		return
	}
	alone := &content{short: []Run{call}}
	f.append(alone, rest)
	f.appendTimes(to, alone, times)
}
