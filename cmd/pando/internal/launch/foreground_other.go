//go:build !linux

package launch

import (
	"os"
	"syscall"
)

// passed are the signals that pando record passes on.
var passed = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}

// inForeground is not asked: signals of keys are not passed on.
func inForeground() bool { return true }
