package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/pandotrace/pando/internal/ticks"
)

// Recorder records events of one process into one file.
type Recorder struct {
	path  string
	mem   []byte
	base  unsafe.Pointer // of mem
	clock uint32
	mode  Mode
	bin   int           // size of bins
	count string        // names of counters
	given func() uint64 // the monotonic clock of tests

	control *control
	order   order // in which calls are given up
	phases  Phases
	every   rhythm

	mu        sync.Mutex
	pool      pool
	defs      definitions
	locations uint32 // their number
	closed    bool
	// began and paired are when the clocks were compared first and last, in nanoseconds since 1970.
	began, paired int64
}

// Start makes a recording in a folder, which it makes if it is not there: RANK.pandorec. Without a folder, it is that of the variable PANDO_DIR, or run.d. It fails if the folder holds a recording of that
// rank, or if the disk has no room for the budget.
func Start(dir string, opt Options) (*Recorder, error) {
	if err := opt.complete(); err != nil {
		return nil, err
	}
	dir = folder(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	size := opt.binSize()
	bins := (opt.Budget - headSize) / size
	path := filepath.Join(dir, fmt.Sprintf("%d.pandorec", opt.Rank))
	mem, err := mapFile(path, headSize+bins*size)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("record: %s holds the recording of another run: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &Recorder{path: path, mem: mem, base: unsafe.Pointer(unsafe.SliceData(mem)), clock: clockMonotonic, mode: opt.Mode, bin: size, control: newControl(mem, opt.Filter)}
	r.phases = opt.Phases
	r.every, _ = opt.Phases.rhythm() // complete has checked it
	if opt.Mode == Keep {
		r.order, _ = opt.By.order()
	}
	if !opt.Monotonic && ticks.Steady() {
		r.clock = clockCounter
	}
	if opt.Prefault {
		for at := 0; at < len(mem); at += headSize {
			mem[at] = 0
		}
	}
	r.count = opt.Counters
	r.pool.init(mem, size, bins, opt.Mode)
	r.head(&opt, bins)
	// Close does not unmap: a goroutine that still records must not die of it.
	runtime.AddCleanup(r, func(mem []byte) { unmap(mem) }, mem)
	return r, nil
}

// head writes the head of the file; the magic comes last.
func (r *Recorder) head(opt *Options, bins int) {
	le, m := binary.LittleEndian, r.mem
	le.PutUint32(m[atVersion:], version)
	le.PutUint32(m[atHeadSize:], headSize)
	le.PutUint32(m[atBinSize:], uint32(r.bin))
	le.PutUint32(m[atBins:], uint32(bins))
	le.PutUint64(m[atRun:], opt.Run)
	le.PutUint32(m[atProcess:], uint32(os.Getpid()))
	le.PutUint32(m[atRank:], noRank)
	if opt.Ranks > 0 {
		le.PutUint32(m[atRank:], uint32(opt.Rank))
	}
	le.PutUint32(m[atRanks:], uint32(opt.Ranks))
	le.PutUint32(m[atClock:], r.clock)
	le.PutUint32(m[atMode:], uint32(r.mode))
	le.PutUint32(m[atReduction:], r.order.by)
	le.PutUint32(m[atEvery:], uint32(r.every.most()))
	le.PutUint32(m[atClasses:], r.order.n)
	at, real := r.pair()
	le.PutUint64(m[atStartPair:], at)
	le.PutUint64(m[atStartPair+8:], uint64(real))
	r.began, r.paired = real, real
	host, _ := os.Hostname()
	copy(m[atHost:atHost+hostSize-1], host)
	copy(m[atProgram:atProgram+programSize-1], os.Args[0])
	copy(m[atFilter:atFilter+maxFilter-1], opt.Filter)
	copy(m[atPhases:atPhases+maxPhaseText-1], opt.Phases)
	copy(m[atClassText:atClassText+maxClassText-1], r.order.names)
	le.PutUint32(m[atSteerable:], 1)
	copy(m, magic)
}

// renewPair compares the clocks again, if the last time was a second ago, and more often at the begin: a program may be killed early. The newer pair goes into the slot that is not valid.
func (r *Recorder) renewPair(always bool) {
	if now := time.Now().UnixNano(); !always && now-r.paired < min(r.paired-r.began, int64(time.Second)) {
		return
	}
	le, m := binary.LittleEndian, r.mem
	slot := le.Uint32(m[atPairSlot:]) + 1
	ticks, real := r.pair()
	at := atPairs + int(slot%2)*16
	le.PutUint64(m[at:], ticks)
	le.PutUint64(m[at+8:], uint64(real))
	le.PutUint32(m[atPairSlot:], slot)
	r.paired = real
}

// Path returns the path of the recording.
func (r *Recorder) Path() string { return r.path }

// Close ends the recording. What locations record afterwards is not part of it.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.renewPair(true)
	le := binary.LittleEndian
	le.PutUint64(r.mem[atUntil:], le.Uint64(r.mem[atPairs+16*(le.Uint32(r.mem[atPairSlot:])%2):]))
	le.PutUint32(r.mem[atState:], stateClosed)
	r.closed = true
	r.control.close()
	return nil
}
