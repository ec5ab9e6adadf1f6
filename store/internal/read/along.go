package read

import (
	"slices"
	"sync"
)

// keptParts is how many parts of a file a walk through it keeps: checking a node looks back at the sums of its children. Together they are
// at most half of what the cache may take.
const keptParts = 4

// along are the parts of a file on a server that a walk through it was in last: each is read in one go, for all the blocks that stand there.
type along struct {
	sync.Mutex
	parts []part // the latest one behind the others
}

type part struct {
	at    int64
	bytes []byte
}

// Along returns the file for a walk from its begin to its end. Of a file on a server, each read of a frame that is not there yet also reads
// the bytes behind it, as many as may be read at once, so that blocks do not take a round each.
func (r *File) Along() *File {
	if !r.Far || r.along != nil {
		return r
	}
	return &File{r.file, r.ctx, r.cache, &along{}}
}

// reach reads the part of the file that begins at an offset, unless n bytes there have been read. If they cannot be read, or are more than
// is read at once, the caller's own read of them tells.
func (r *File) reach(at, n int64) {
	limit := r.LoadLimit()
	if r.along == nil || n > limit || r.inTail(uint64(at)) {
		return
	}
	r.along.Lock()
	defer r.along.Unlock()
	if r.along.find(at, n) != nil {
		return
	}
	p := part{at, make([]byte, min(limit, r.size-at))}
	if r.readSource(p.bytes, at) != nil {
		return
	}
	r.along.parts = append(r.along.parts, p)
	if more := len(r.along.parts) - keptParts; more > 0 {
		r.along.parts = slices.Delete(r.along.parts, 0, more)
	}
}

// find returns n bytes of the file at an offset, nil if they are not there.
func (a *along) find(at, n int64) []byte {
	for i := range a.parts {
		if p := &a.parts[i]; at >= p.at && at+n <= p.at+int64(len(p.bytes)) {
			return p.bytes[at-p.at:][:n]
		}
	}
	return nil
}

// copy copies bytes of the file if they are there.
func (a *along) copy(b []byte, at int64) bool {
	if a == nil {
		return false
	}
	a.Lock()
	defer a.Unlock()
	found := a.find(at, int64(len(b)))
	copy(b, found)
	return found != nil
}
