// Command analysis measures what analyses of one file take: processor time, from opening the file, and memory.
//
//	go run ./bench/analysis fold wide.pando
//
// Each measurement is a file of this folder, and a row of the table below. Files are made by bench/generate.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// measurements by name.
var measurements = []measurement{
	{"clusters", "locations that are alike, in each way, and reading the structure of the file alone", measureClusters},
	{"tree", "the merged call tree of all locations, with times and without", measureTree},
	{"similarity", "how alike all pairs of locations are", measureSimilarity},
	{"fold", "timelines of all locations, and the same folded to rows, 2,000 pixels", measureFold},
	{"segments", "segments and SOS times, findings, and the next finer level of a hundredth of the time", measureSegments},
	{"waits", "waits, and the critical path, and reading events and messages alone", measureWaits},
}

// measurement is something that is done with a file, and what is said about it.
type measurement struct {
	name, what string
	run        func(ctx context.Context, path string, out io.Writer) error
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "analysis:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var names strings.Builder
	for _, m := range measurements {
		if len(args) == 2 && args[0] == m.name {
			return m.run(ctx, args[1], out)
		}
		fmt.Fprintf(&names, "\n  %s: %s", m.name, m.what)
	}
	return errors.New("give the name of a measurement and a file; there are" + names.String())
}
