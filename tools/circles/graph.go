package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// node is a declaration at package level: a type with its methods, a function, or a variable or constant.
type node struct {
	name  string
	lines int
	uses  []*node
	// for the search of circles
	index, low int
	open       bool
}

// circle is a strongly connected component of more than one node.
type circle struct {
	nodes   []*node
	lines   int
	largest string // the name of the node of most lines, types first
}

// declaration is what stands in the source for a node: one of several for a type with methods.
type declaration struct {
	of     *node
	syntax ast.Node
}

// graph returns the nodes of a package, and fills in which uses which.
func graph(files []*ast.File, fset *token.FileSet, info *types.Info) []*node {
	nodes := map[types.Object]*node{}
	var all []*node
	get := func(o types.Object) *node {
		n := nodes[o]
		if n == nil {
			n = &node{name: o.Name()}
			nodes[o] = n
			all = append(all, n)
		}
		return n
	}
	var declared []declaration
	for _, f := range files {
		for _, d := range f.Decls {
			declared = append(declared, declarations(d, info, get)...)
		}
	}
	for _, d := range declared {
		d.of.lines += fset.Position(d.syntax.End()).Line - fset.Position(d.syntax.Pos()).Line + 1
		ast.Inspect(d.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if used := nodes[owner(info.Uses[id])]; used != nil && used != d.of {
					d.of.uses = append(d.of.uses, used)
				}
			}
			return true
		})
	}
	return all
}

func declarations(d ast.Decl, info *types.Info, get func(types.Object) *node) (all []declaration) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if o := owner(info.Defs[d.Name]); o != nil {
			all = append(all, declaration{get(o), d})
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				all = append(all, declaration{get(info.Defs[spec.Name]), spec})
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					all = append(all, declaration{get(info.Defs[name]), spec})
				}
			}
		}
	}
	return all
}

// owner returns the declaration that an object is part of: of a method, and of an instance of a generic type or function, the one at
// package level.
func owner(o types.Object) types.Object {
	f, ok := o.(*types.Func)
	if !ok {
		return o
	}
	f = f.Origin()
	receiver := f.Signature().Recv()
	if receiver == nil {
		return f
	}
	t := types.Unalias(receiver.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil // a method of an interface without a name
}

// components returns the circles of a graph (Tarjan, Depth-first search and linear graph algorithms, 1972).
func components(nodes []*node) (circles []circle) {
	var stack []*node
	last := 0
	var visit func(n *node)
	visit = func(n *node) {
		last++
		n.index, n.low, n.open = last, last, true
		stack = append(stack, n)
		for _, u := range n.uses {
			if u.index == 0 {
				visit(u)
				n.low = min(n.low, u.low)
			} else if u.open {
				n.low = min(n.low, u.index)
			}
		}
		if n.low < n.index {
			return
		}
		at := slices.Index(stack, n)
		found := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, f := range found {
			f.open = false
		}
		if len(found) > 1 {
			circles = append(circles, circleOf(found))
		}
	}
	for _, n := range nodes {
		if n.index == 0 {
			visit(n)
		}
	}
	return circles
}

func circleOf(nodes []*node) circle {
	c := circle{nodes: nodes}
	for _, n := range nodes {
		c.lines += n.lines
	}
	c.largest = slices.MaxFunc(nodes, func(a, b *node) int { return cmp.Compare(a.lines, b.lines) }).name
	return c
}
