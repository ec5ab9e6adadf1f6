package main

import (
	"runtime"
	"sync/atomic"
	"time"
)

// usage is what a piece of work takes.
type usage struct {
	wall, processor time.Duration
	// memory is the largest heap that was in use while it ran, in bytes, less what was there before.
	memory uint64
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
