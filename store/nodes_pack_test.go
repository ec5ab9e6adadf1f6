package store

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/index"
)

// Items come back as they were.
func TestPackedItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var calls, messages packed
		c := rapid.SliceOf(rapid.Make[index.Call]()).Draw(t, "calls")
		m := rapid.SliceOf(rapid.Make[index.Message]()).Draw(t, "messages")
		for i := range c {
			calls.addCall(&c[i])
		}
		for i := range m {
			messages.addMessage(&m[i])
		}
		if got := calls.calls(); !slices.Equal(got, c) {
			t.Fatalf("%v, want %v", got, c)
		}
		if got := messages.messages(); !slices.Equal(got, m) {
			t.Fatalf("%v, want %v", got, m)
		}
	})
}
