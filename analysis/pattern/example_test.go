package pattern_test

import (
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Each of five ranks sends to the one behind it, the last one to the first.
func ExampleFind() {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	var ranks []*trace.Batch
	for rank := range uint64(5) {
		ranks = append(ranks, t.Location(rank, t.Process(fmt.Sprint("rank ", rank))))
	}
	t.CommLocations(0, 1, 2, 3, 4)
	world := t.Comm(t.CommGroup(0, 1, 2, 3, 4))
	for rank, b := range ranks {
		b.Append(trace.KindMpiSend, 10, uint64(rank+1)%5, world, 7, 64)
		b.Append(trace.KindMpiRecv, 20, uint64(rank+4)%5, world, 7, 64)
	}

	r := stored.Source(failing{}, t, store.Options{})
	x, err := pattern.Find(context.Background(), r, r.All(), pattern.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Class, x.Sizes, x.Messages)
	for _, t := range x.Templates {
		fmt.Printf("%d messages of tag %d and %d bytes to the rank %+d\n", t.Messages, t.Tag, t.Length, t.Shift)
	}
	// Output:
	// ring [5] 1
	// 4 messages of tag 7 and 64 bytes to the rank +1
	// 1 messages of tag 7 and 64 bytes to the rank -4
}

// failing is the test that an example has none of.
type failing struct{}

func (failing) Helper()        {}
func (failing) Fatal(a ...any) { panic(fmt.Sprint(a...)) }
