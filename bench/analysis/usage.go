package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// usage is what a piece of work takes.
type usage struct {
	wall, processor time.Duration
	// memory is the largest heap that was in use while it ran, in bytes, less what was there before.
	memory uint64
}

// String is the usage as people read it.
func (u usage) String() string {
	return fmt.Sprintf("%7.0f ms wall, %7.0f ms processor, %6.1f MiB heap", u.wall.Seconds()*1e3, u.processor.Seconds()*1e3, float64(u.memory)/(1<<20))
}

// perEvent returns the nanoseconds of processors for each of some events.
func (u usage) perEvent(events uint64) float64 {
	return u.processor.Seconds() * 1e9 / float64(max(events, 1))
}

// measure does something and says what it took.
func measure(do func() error) (u usage, err error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	var most atomic.Uint64
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	begin, processor := time.Now(), processorTime()
	err = do()
	u.wall, u.processor = time.Since(begin), processorTime()-processor
	close(stop)
	<-stopped
	u.memory = most.Load() - min(before, most.Load())
	return u, err
}

// processorTime returns what this process has used, of all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
