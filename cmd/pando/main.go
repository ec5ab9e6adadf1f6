// Command pando converts event traces of parallel programs into Pando files, and shows, checks and exports what they
// hold. `pando help` lists its verbs; each has a file here.
package main

import (
	"os"

	"github.com/pandotrace/pando/internal/heap"
)

func main() {
	heap.Start()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
