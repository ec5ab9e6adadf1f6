package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"
)

// ErrClosed is the error of a recorder that was closed.
var ErrClosed = errors.New("record: the recorder is closed")

// Snapshot writes what the recording holds of the last d, all of it if d is 0, into a new file while the program goes on. Calls that ended within
// that time come whole, with the times at which they began; open calls are open in the snapshot. Locations are not held up: a bin
// that is given up meanwhile is left out, and what else is as old.
//
// The file is a recording, like that of a program that was killed now.
func (r *Recorder) Snapshot(path string, d time.Duration) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return errors.Join(r.snapshot(f, d), f.Close())
}

func (r *Recorder) snapshot(f *os.File, d time.Duration) error {
	head, until, err := r.beginSnapshot()
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	bins := int(le.Uint32(head[atBins:]))
	buf := make([]byte, r.bin)
	written := 0
	begun := map[uint32]bool{} // locations
	// Open calls first: what is open when they are read either stays so, or is in a bin that is read later. A location that begins after that is left out.
	for _, locations := range []bool{true, false} {
		for i := range bins {
			if !r.pool.copyBin(buf, int32(i), locations) || !ofBegun(buf, begun) {
				continue
			}
			if _, err := f.WriteAt(buf, int64(headSize+written*r.bin)); err != nil {
				return fmt.Errorf("record: %w", err)
			}
			written++
		}
	}
	now, _, err := r.beginSnapshot() // what was given up meanwhile
	if err != nil {
		return err
	}
	copy(head[atFloor:atFloor+4], now[atFloor:])
	le.PutUint32(head[atNoMetrics:], le.Uint32(now[atNoMetrics:]))
	le.PutUint64(head[atHorizon:], max(le.Uint64(now[atHorizon:]), horizonOf(head, until, d)))
	le.PutUint64(head[atUntil:], until)
	le.PutUint32(head[atBins:], uint32(written))
	if _, err := f.WriteAt(head, 0); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// ofBegun reports whether a bin is one of definitions, or of a location whose own bin was seen before. It notes that of a location.
func ofBegun(bin []byte, begun map[uint32]bool) bool {
	kind, of := binary.LittleEndian.Uint32(bin), binary.LittleEndian.Uint32(bin[binAtLocation:])
	begun[of] = begun[of] || kind == binLocation
	return kind == binDefinitions || begun[of]
}

// beginSnapshot copies the head, with a pair of times of now.
func (r *Recorder) beginSnapshot() (head []byte, now uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, 0, ErrClosed
	}
	r.renewPair(true)
	head = make([]byte, headSize)
	copy(head, r.mem)
	clear(head[atAttention : atWanted+4]) // nobody can steer what is written
	slot := binary.LittleEndian.Uint32(head[atPairSlot:]) % 2
	return head, binary.LittleEndian.Uint64(head[atPairs+16*slot:]), nil
}

// horizonOf returns the time that is d before a time, by the pairs of the head.
func horizonOf(head []byte, until uint64, d time.Duration) uint64 {
	if d <= 0 {
		return 0
	}
	le := binary.LittleEndian
	ticks := float64(d)
	if le.Uint32(head[atClock:]) == clockCounter {
		at := atPairs + 16*(le.Uint32(head[atPairSlot:])%2)
		elapsed := le.Uint64(head[at+8:]) - le.Uint64(head[atStartPair+8:])
		if elapsed == 0 {
			return 0
		}
		ticks *= float64(until-le.Uint64(head[atStartPair:])) / float64(elapsed)
	}
	if ticks >= float64(until) {
		return 0
	}
	return until - uint64(ticks)
}

// copyBin copies a bin, if it is one of a location as asked for, and if it is not handed out anew meanwhile.
func (p *pool) copyBin(buf []byte, bin int32, location bool) bool {
	le := binary.LittleEndian
	b := p.at(bin)
	kind := le.Uint32(b)
	if kind == binFree || location != (kind == binLocation) {
		return false
	}
	if kind == binLocation {
		const tries = 10
		before := make([]byte, locationAtStopped)
		for range tries {
			copy(before, b)
			copy(buf, b)
			if sameStack(before, buf) {
				break
			}
		}
		return true
	}
	copy(buf, b)
	return le.Uint32(buf) == kind && le.Uint32(b) == kind && le.Uint32(b[binAtGeneration:]) == le.Uint32(buf[binAtGeneration:])
}

// sameStack reports whether two copies of a location's bin have the same open calls.
func sameStack(a, b []byte) bool {
	depth := binary.LittleEndian.Uint32(a[locationAtDepth:])
	if depth != binary.LittleEndian.Uint32(b[locationAtDepth:]) {
		return false
	}
	x := (*[maxDepth]frame)(unsafe.Pointer(&a[locationAtStack]))
	y := (*[maxDepth]frame)(unsafe.Pointer(&b[locationAtStack]))
	for i := range min(depth, maxDepth) {
		if x[i].enter != y[i].enter || x[i].region != y[i].region {
			return false
		}
	}
	return true
}
