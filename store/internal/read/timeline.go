package read

import (
	"github.com/pandotrace/pando/index"
)

// Top returns the root of the tree.
func (r *File) Top() index.Node { return index.Node{Level: r.tree.Levels(r.root.Slices)} }
