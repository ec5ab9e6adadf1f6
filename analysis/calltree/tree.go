package calltree

import (
	"fmt"

	"github.com/pandotrace/pando/analysis/memory"
)

// root is the node outside of all calls.
const root uint32 = 0

// node is a call path.
type node struct {
	parent uint32
	name   Name
	depth  int32 // 0 for the root
}

// nodeBytes is about the memory of a node, with its place in the table of children.
const nodeBytes = 12 + 4*16

// tree holds nodes: their numbers rise from parents to children.
type tree struct {
	names    *Names
	nodes    []node
	children pairs // node and name to node, folded calls and transparent regions too
	depth    int32 // from which on recursions are folded
	most     int   // bound of the number of entries of children
}

func newTree(names *Names, depth int, bytes int64) *tree {
	return &tree{names: names, nodes: []node{{}}, depth: int32(depth), most: int(min(bytes/nodeBytes, 1<<31))}
}

// MemoryError says that the call paths of a window take more memory than they may.
type MemoryError struct{ Bytes int64 }

// Error implements error.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("the call paths of this window take more than %d MiB: choose fewer locations, a shorter window, or more memory", e.Bytes>>20)
}

// Is reports whether the target is [memory.ErrExceeded].
func (e *MemoryError) Is(target error) bool { return target == memory.ErrExceeded }

// child returns the node of a call of a name made at a node. It is a function of both alone, whatever came before. full means that there is
// no room for another node.
func (t *tree) child(at uint32, name Name) (child uint32, full bool) {
	key := pairOf(at, name)
	if c := t.children.get(key); c != 0 {
		return c - 1, false
	}
	if t.children.used >= t.most {
		return root, true
	}
	child = t.newChild(at, name)
	t.children.put(key, child+1)
	return child, false
}

func (t *tree) newChild(at uint32, name Name) uint32 {
	if t.names.list[name].transparent {
		return at
	}
	if t.nodes[at].depth >= t.depth {
		for n := at; n != root; n = t.nodes[n].parent {
			if t.nodes[n].name == name {
				return n
			}
		}
	}
	t.nodes = append(t.nodes, node{at, name, t.nodes[at].depth + 1})
	return uint32(len(t.nodes) - 1)
}
