package write

import "sync"

// room is the memory that groups take while they are encoded and written, one behind the other. Who needs some waits until it is there;
// who needs more than there is in all gets it when no one else has any.
type room struct {
	most int64 // bytes

	mu    sync.Mutex // of what follows
	taken int64
	given sync.Cond
}

func newRoom(most int64) *room {
	r := &room{most: most}
	r.given.L = &r.mu
	return r
}

// take takes a number of bytes, which give gives back.
func (r *room) take(bytes int64) (give func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.taken > 0 && r.taken+bytes > r.most {
		r.given.Wait()
	}
	r.taken += bytes
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.taken -= bytes
		r.given.Broadcast()
	}
}
