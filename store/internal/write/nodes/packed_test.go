package nodes

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// Items come back as they were.
func TestPackedItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := Lane{logs: &blockio.Logs{Most: rapid.Int64Range(0, 1<<14).Draw(t, "memory")}}
		defer nodes.logs.Spool.Close()
		calls, messages := nodes.empty().Calls, nodes.empty().Messages
		c := rapid.SliceOf(rapid.Make[index.Call]()).Draw(t, "calls")
		m := rapid.SliceOf(rapid.Make[index.Message]()).Draw(t, "messages")
		for i := range c {
			calls.AddCall(&c[i])
		}
		for i := range m {
			messages.AddMessage(&m[i])
		}
		if got, err := calls.TakeCalls(nil); err != nil || !slices.Equal(got, c) {
			t.Fatalf("%v (%v), want %v", got, err, c)
		}
		if got, err := messages.TakeMessages(nil); err != nil || !slices.Equal(got, m) {
			t.Fatalf("%v (%v), want %v", got, err, m)
		}
	})
}
