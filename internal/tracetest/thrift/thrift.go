// Package thrift runs the tests of a package with less processor time: [Main] lets garbage be collected less often, and draws fewer random traces.
package thrift

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

const (
	// garbage is how much garbage there may be, in percent of what is alive. Tests write many small files: at the usual 100 a fifth of their time
	// went to the collector. What measures memory collects by itself.
	garbage = 300
	// checks is the number of random cases of a property that are tried in a run. Each run draws others; make soak tries 100.
	checks = 40
)

// Of returns how many cases of a test are tried: some, which show a fault of each kind, or all with PANDO_SOAK, which make soak sets.
func Of(some, all int) int {
	if os.Getenv("PANDO_SOAK") != "" {
		return all
	}
	return some
}

// Main runs the tests of a package. It is what TestMain calls, as its last act.
func Main(m *testing.M) {
	debug.SetGCPercent(garbage)
	if f := flag.Lookup("rapid.checks"); f != nil && os.Getenv("PANDO_SOAK") == "" {
		if err := f.Value.Set(strconv.Itoa(checks)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
