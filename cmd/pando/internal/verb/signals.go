package verb

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// Stopped is the number of the signal that has ended the work, 0 if none has.
var Stopped atomic.Int32

// Interruptible returns a context that ends when the user interrupts, the terminal is closed or the system asks to end: SIGINT, SIGHUP,
// SIGTERM. A second signal ends the program at once. Under nohup, SIGHUP stays without effect.
func Interruptible() (context.Context, context.CancelFunc) {
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
				Stopped.Store(int32(number))
			}
			cancel()
		case <-ctx.Done():
		}
		signal.Stop(got)
	}()
	return ctx, cancel
}
