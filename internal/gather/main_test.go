package gather_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets garbage be collected less often: these tests write many small files, which make much of it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
