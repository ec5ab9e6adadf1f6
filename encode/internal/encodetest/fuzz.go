package encodetest

import (
	"runtime/metrics"
	"testing"

	"github.com/pandotrace/pando/format"
)

// Limits are small, so that an input that gets around a limit shows in the memory that parsing it takes.
var Limits = format.Limits{LaneEvents: 1 << 14, LaneValues: 1 << 16, Locations: 1 << 10, DictionaryShapes: 1 << 14}

// inputBytes is the memory that any input may take under these limits, besides a multiple of its size.
const inputBytes = 100 << 20

// Bounded runs a parser on an input of a number of bytes, and fails if it takes too much memory.
func Bounded(t *testing.T, input int, parse func()) {
	t.Helper()
	before := Allocated()
	parse()
	if spent := Allocated() - before; spent > inputBytes+1000*uint64(input) {
		t.Fatalf("%d bytes of input took %d bytes of memory", input, spent)
	}
}

// Allocated returns the number of bytes that the process has allocated so far.
func Allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Refused reports whether a parser returned an error, and fails if the error is no CorruptError.
func Refused(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && !format.IsCorrupt(err) {
		t.Fatalf("%v is no CorruptError", err)
	}
	return err != nil
}
