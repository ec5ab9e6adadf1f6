package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
)

// Exit codes, see `pando help exit-codes`.
const (
	exitOK          = 0
	exitBad         = 1
	exitUsage       = 2
	exitIO          = 3
	exitPart        = 4
	exitInterrupted = 130 // by SIGINT
	exitSignal      = 128 // and the number of the signal
)

// exitCode returns the exit code for an error. Errors of the operating system are I/O; errors of no other kind are about content.
func exitCode(err error) int {
	var program *exec.ExitError // of pando record
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		if number := verb.Stopped.Load(); number > 0 {
			return exitSignal + int(number)
		}
		return exitInterrupted
	case errors.As(err, &program):
		if status, ok := program.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return exitSignal + int(status.Signal())
		}
		return program.ExitCode()
	case verb.IsUsage(err):
		return exitUsage
	case verb.IsPart(err):
		return exitPart
	case isIO(err):
		return exitIO
	}
	return exitBad
}

func isIO(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	var number syscall.Errno
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call) ||
		errors.As(err, &number)
}
