package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that ends when the user interrupts. A second interrupt ends the program at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
