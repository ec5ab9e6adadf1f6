package annotation

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kind says what an annotation is of.
type Kind uint8

// The numbers of kinds are part of the file format. Others than these are kept, and mean nothing.
const (
	// Note is of a window, or of the whole trace.
	Note Kind = 0
	// Messages is a pattern of messages.
	Messages Kind = 1
	// Calls is a pattern of calls.
	Calls Kind = 2
)

var kindNames = [...]string{Note: "note", Messages: "messages", Calls: "calls"}

// String returns the name: "messages".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Annotation is what somebody says of a part of a trace.
type Annotation struct {
	Kind Kind
	// Name is what it is called; no other annotation of the trace is called so.
	Name string
	// Class says in words what it is: "4 x 4 grid, wavefront".
	Class string
	// From and To are the window [From, To) that it is of, in ticks relative to the epoch.
	From, To int64
	// Communicator is the id of the communicator that it is of, NoCommunicator for none.
	Communicator uint64
	// Fingerprint tells the likes of it in other windows and traces: it depends on structure, and neither on times nor on how a file is divided. It may be empty.
	Fingerprint []byte
	// Text is what is said of it.
	Text string
	// Routine is what a pattern of calls consists of; nil where that is not kept.
	Routine *Routine
}

// NoCommunicator is the communicator of an annotation that is of none.
const NoCommunicator = math.MaxUint64

// Bounds of annotations. MostBytes is the largest length of a name, a class or a text, in bytes.
const (
	MostBytes       = 1 << 16
	MostFingerprint = 64
	Most            = 1 << 16
)

// Check returns an error if a list is not as files have it: in the order of names, none twice, within bounds.
func Check(list []Annotation) error {
	if len(list) > Most {
		return fmt.Errorf("%d annotations are more than %d", len(list), Most)
	}
	for i := range list {
		a := &list[i]
		switch {
		case a.Name == "":
			return errors.New("an annotation without a name")
		case max(len(a.Name), len(a.Class), len(a.Text)) > MostBytes:
			return fmt.Errorf("an annotation with a text of more than %d bytes", MostBytes)
		case len(a.Fingerprint) > MostFingerprint:
			return fmt.Errorf("an annotation with a fingerprint of %d bytes", len(a.Fingerprint))
		case a.To < a.From:
			return fmt.Errorf("annotation %q ends before it begins", a.Name)
		case i > 0 && list[i-1].Name >= a.Name:
			return errors.New("annotations are out of order")
		}
		if a.Routine != nil {
			if err := a.Routine.check(); err != nil {
				return fmt.Errorf("annotation %q: %w", a.Name, err)
			}
		}
	}
	return nil
}

// Find returns the annotation of a name, nil if there is none.
func Find(list []Annotation, name string) *Annotation {
	if i, ok := slices.BinarySearchFunc(list, name, func(a Annotation, name string) int { return cmp.Compare(a.Name, name) }); ok {
		return &list[i]
	}
	return nil
}

// With returns a list with a further annotation, in place of one of the same name.
func With(list []Annotation, a Annotation) []Annotation {
	i, ok := slices.BinarySearchFunc(list, a.Name, func(a Annotation, name string) int { return cmp.Compare(a.Name, name) })
	list = slices.Clone(list)
	if ok {
		list[i] = a
		return list
	}
	return slices.Insert(list, i, a)
}

// Below is what stands between a name and what was kept with others under it: "solver/2/calls" is below "solver".
const Below = "/"

// Is reports whether an annotation has a name, or is one of those below it.
func (a *Annotation) Is(name string) bool {
	return a.Name == name || strings.HasPrefix(a.Name, name+Below)
}

// Without returns a list without the annotations that have a name or are below it.
func Without(list []Annotation, name string) []Annotation {
	return slices.DeleteFunc(slices.Clone(list), func(a Annotation) bool { return a.Is(name) })
}

// Join returns the annotations of two lists; of two with a name, that of the first list.
func Join(list, more []Annotation) []Annotation {
	for _, a := range more {
		if Find(list, a.Name) == nil {
			list = With(list, a)
		}
	}
	return list
}
