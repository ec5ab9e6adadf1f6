package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// Exit codes, see `pando help exit-codes`.
const (
	exitOK          = 0
	exitBad         = 1
	exitUsage       = 2
	exitIO          = 3
	exitLoss        = 4
	exitInterrupted = 130 // by SIGINT
	exitSignal      = 128 // and the number of the signal
)

// usageError marks mistakes in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode returns the exit code for an error. Errors of the operating system are I/O; errors of no other kind are about content.
func exitCode(err error) int {
	var usage usageError
	var loss lossError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		if number := stopped.Load(); number > 0 {
			return exitSignal + int(number)
		}
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &loss):
		return exitLoss
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

// stopped is the number of the signal that has ended the work, 0 if none has.
var stopped atomic.Int32

// interruptible returns a context that ends when the user interrupts, the terminal is closed or the system asks to end: SIGINT, SIGHUP,
// SIGTERM. A second signal ends the program at once. Under nohup, SIGHUP stays without effect.
func interruptible() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case s := <-got:
			if number, ok := s.(syscall.Signal); ok {
				stopped.Store(int32(number))
			}
			cancel()
		case <-ctx.Done():
		}
		signal.Stop(got)
	}()
	return ctx, cancel
}
