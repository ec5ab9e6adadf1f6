package tracetest

import (
	"os"
	"os/exec"
	"testing"
)

// Oracle returns the path of another program that a test compares with. The test is skipped if there is none, and without
// PANDO_ORACLES: other programs take long, the reader in Python more than any package but two, so .ci/run asks them and
// `go test ./...` does not.
func Oracle(t testing.TB, program string) string {
	t.Helper()
	if os.Getenv("PANDO_ORACLES") == "" {
		t.Skipf("PANDO_ORACLES is not set: %s is not asked", program)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}
