package launch

import (
	"os"
	"syscall"
	"unsafe"
)

// passed are the signals that pando record passes on.
var passed = []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

// inForeground reports whether the keys of a terminal send signals to this process.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	var group int32
	_, _, number := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return number == 0 && int(group) == syscall.Getpgrp()
}
