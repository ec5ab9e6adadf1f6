package columnar

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets garbage be collected less often: of the time of these tests, which make much of it, a fifth went there. What measures
// memory collects by itself.
func TestMain(m *testing.M) {
	debug.SetGCPercent(300)
	os.Exit(m.Run())
}
