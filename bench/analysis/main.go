// Command analysis measures what analyses of files take: processor time, wall time and memory.
//
//	go run ./bench/generate -ring -ranks 65536 -events 2e7 -out wide.pando
//	go run ./bench/analysis clusters wide.pando lu.pando
//
// The time that reading the structure of a file takes is measured beside each, since analyses begin with it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// measurements are what can be measured, by name.
var measurements = map[string]func(ctx context.Context, w io.Writer, path string) error{
	"clusters":   clusters,
	"similarity": similarity,
	"tree":       tree,
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "analysis:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string) error {
	if len(args) < 2 || measurements[args[0]] == nil {
		var names []string
		for name := range measurements {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("give one of %v, and files", names)
	}
	var failed []error
	for _, path := range args[1:] {
		failed = append(failed, measurements[args[0]](context.Background(), w, path))
	}
	return errors.Join(failed...)
}
