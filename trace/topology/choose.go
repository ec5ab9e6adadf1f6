package topology

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// ChoiceError says that there is no topology to use.
type ChoiceError struct {
	// Name is the one that was asked for, "" for any.
	Name string
	// Names are those that there are.
	Names []string
}

// Error names the topologies that there are.
func (e *ChoiceError) Error() string {
	if len(e.Names) == 0 {
		return "the trace has no topology with places of ranks"
	}
	return fmt.Sprintf("no topology is called %q; there are %s", e.Name, strings.Join(e.Names, ", "))
}

// OrderError says that an order of locations is none.
type OrderError struct{ Order string }

// Error says which orders there are.
func (e *OrderError) Error() string { return e.Order + " is neither topology nor topology=NAME" }

// Ordered returns the places by which locations are put into an order: "topology" for the topology that [Choose] finds without a name, "topology=NAME" for the one
// of a name, and nil for "", which is the order of definition. It is an [OrderError] or a [ChoiceError] if there is none.
func Ordered(defs *trace.Definitions, order string) (*Places, error) {
	if order == "" {
		return nil, nil
	}
	how, name, _ := strings.Cut(order, "=")
	if how != "topology" {
		return nil, &OrderError{order}
	}
	t, err := Choose(defs, name)
	if err != nil {
		return nil, err
	}
	return t.Places(defs), nil
}

// Choose returns the topology of a name, or with no name the one that most members have coordinates on, the first one of several. Those
// without members do not count. It is a [ChoiceError] if there is none.
func Choose(defs *trace.Definitions, name string) (*Topology, error) {
	var best *Topology
	list := Of(defs)
	e := &ChoiceError{Name: name}
	for i := range list {
		t := &list[i]
		if len(t.Members) == 0 {
			continue
		}
		e.Names = append(e.Names, fmt.Sprintf("%q", t.Name))
		if name != "" && t.Name != name {
			continue
		}
		if best == nil || len(t.Members) > len(best.Members) {
			best = t
		}
	}
	if best == nil {
		return nil, e
	}
	return best, nil
}
