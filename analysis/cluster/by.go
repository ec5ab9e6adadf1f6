package cluster

import (
	"fmt"
	"strings"
)

// By says when locations are alike. Each but [Calls] is finer than the one before: locations that it groups are together before, too. Calls is
// finer than [Functions], and [Tree] is finer than Calls.
type By uint8

const (
	// Functions: locations call the same regions.
	Functions By = iota
	// Pairs: they call the same regions from the same ones. What is called by nothing has an empty caller.
	Pairs
	// Contexts: they have the same call paths.
	Contexts
	// Calls: they call each region equally often.
	Calls
	// Tree: they make the same calls in the same order.
	Tree
	// Messages: they make the same calls, and send and receive between them, in the same order, to and from ranks at the same distance.
	Messages
)

var byNames = [...]string{"functions", "pairs", "contexts", "calls", "tree", "messages"}

// String returns the name.
func (b By) String() string { return byNames[b] }

// Names lists all ways to say when locations are alike, the coarsest first.
func Names() []string { return byNames[:] }

// Named returns the one of a name.
func Named(name string) (By, error) {
	for i, n := range byNames {
		if n == name {
			return By(i), nil
		}
	}
	return 0, fmt.Errorf("locations are not clustered by %q: there are %s", name, strings.Join(byNames[:], ", "))
}

// Ordered reports whether locations are described by sets, which a lattice orders.
func (b By) Ordered() bool { return b <= Contexts }

// counted reports whether it takes to know how often regions are called.
func (b By) counted() bool { return b >= Calls }

// hashed reports whether locations are compared by hashes.
func (b By) hashed() bool { return b >= Tree }
