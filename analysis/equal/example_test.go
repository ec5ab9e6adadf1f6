package equal_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/internal/tracegen"
)

// Traces compares every record. The traces may be of different formats.
func ExampleTraces() {
	ctx := context.Background()
	for _, seed := range []uint64{1, 2} {
		r, err := equal.Traces(ctx, tracegen.Ring(4, 20, 1), tracegen.Ring(4, 20, seed), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Equal, len(r.Parts), "streams differ")
	}
	// Output:
	// true 0 streams differ
	// false 4 streams differ
}

// Runs compares two runs of a program: times count from the start of each, and ids do not matter.
func ExampleRuns() {
	r, err := equal.Runs(context.Background(), tracegen.Ring(4, 20, 1), tracegen.Ring(4, 20, 1), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Equal)
	// Output: true
}

// Programs compares calls, messages and collective operations, in order, and neither times nor ids.
func ExamplePrograms() {
	r, err := equal.Programs(context.Background(), tracegen.Ring(4, 20, 1), tracegen.Ring(4, 20, 1), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Equal)
	// Output: true
}
