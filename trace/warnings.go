package trace

import (
	"fmt"
	"slices"
	"sync"
)

// Warning is something odd but bearable in a source, with the number of times it was seen.
type Warning struct {
	// Kind is a short constant name of what was seen ("unknown record").
	Kind  string
	Count uint64
	// Example says where it was seen first.
	Example string
}

// Warnings counts warnings by their kinds. The zero value is ready for use, from many goroutines.
type Warnings struct {
	mu   sync.Mutex
	list []Warning
}

// Add counts a warning. The format and its arguments make the example, if it is the first of its kind.
func (w *Warnings) Add(kind, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.list {
		if w.list[i].Kind == kind {
			w.list[i].Count++
			return
		}
	}
	w.list = append(w.list, Warning{Kind: kind, Count: 1, Example: fmt.Sprintf(format, args...)})
}

// All lists the warnings so far, in the order in which their kinds were first seen.
func (w *Warnings) All() []Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}
