package check_test

import (
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/tracegen"
)

// A program of four ranks, of which one lost the receive of a message.
func ExampleOf() {
	src := tracegen.Program(4, 10, 1)
	for _, fault := range tracegen.Faults() {
		if fault.Name == "unmatched-send" {
			fault.Break(src, 1)
		}
	}
	r, err := check.Of(context.Background(), src, check.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Findings {
		fmt.Println(f.Severity, f.Code, "of location", f.At.Location)
	}
	// Output:
	// error unmatched-send of location 2
}
