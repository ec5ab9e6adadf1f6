package live

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Words of the head, see spec/recording.
const (
	headSize    = 4096
	atAttention = 1984
	atAsked     = 1992
	atAnswered  = 1996
	atWanted    = 2000
	atRules     = 3072
	maxRules    = 1024
)

const (
	waits = 1 // in attention

	wantPause  = 1
	wantResume = 2
	wantRules  = 4
)

// look again at what others change after this time.
const pause = 2 * time.Millisecond

// Request says what a process is to do. Fields that are not set change nothing.
type Request struct {
	Pause, Resume bool
	Filter        *string
}

func (r *Request) wanted() (wanted uint32, rules string) {
	switch {
	case r.Pause:
		wanted = wantPause
	case r.Resume:
		wanted = wantResume
	}
	if r.Filter != nil {
		wanted, rules = wanted|wantRules, *r.Filter
	}
	return wanted, rules
}

// Ask asks a process, and waits until it has done so or the context ends. It does so with its next call or event; done is false if there was none: the request holds all the same.
func Ask(ctx context.Context, p *Process, r Request) (done bool, err error) {
	wanted, rules := r.wanted()
	switch {
	case !p.Records():
		return false, fmt.Errorf("%s cannot be steered: %s", p.Name(), p.why())
	case !p.Steerable:
		return false, fmt.Errorf("%s cannot be steered: it was built with a recorder that heeds no requests", p.Name())
	case len(rules) >= maxRules:
		return false, fmt.Errorf("a filter of %d bytes; it may have %d", len(rules), maxRules-1)
	}
	h, err := mapHead(p.Path)
	if err != nil {
		return false, fmt.Errorf("%s cannot be steered, for which its recording must be written: %w", p.Name(), err)
	}
	defer h.close()
	if err := h.lock(ctx); err != nil {
		return false, fmt.Errorf("%s: somebody else steers it: %w", p.Name(), err)
	}
	h.post(ctx, wanted, rules)
	return h.answered(ctx) == nil, nil
}

// why says why a process does not record.
func (p *Process) why() string {
	switch p.State {
	case Closed:
		return "it has ended its recording"
	case Died:
		return "it died without ending its recording"
	}
	return "it runs on the host " + p.Host
}

// head is the mapped head of a recording.
type head struct {
	f   *os.File
	mem []byte
}

func mapHead(path string) (*head, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, headSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("mmap", err), f.Close())
	}
	return &head{f, mem}, nil
}

func (h *head) close() {
	syscall.Munmap(h.mem)
	h.f.Close() // and gives the lock back
}

func (h *head) word(at int) *uint32 { return (*uint32)(unsafe.Pointer(&h.mem[at])) }

// until waits until a condition holds, or the context ends.
func until(ctx context.Context, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil
}

// lock keeps others from asking meanwhile.
func (h *head) lock(ctx context.Context) error {
	return until(ctx, func() bool { return syscall.Flock(int(h.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil })
}

// answered waits until the last request was done.
func (h *head) answered(ctx context.Context) error {
	return until(ctx, func() bool { return atomic.LoadUint32(h.word(atAnswered)) == atomic.LoadUint32(h.word(atAsked)) })
}

// patience is how long the process may take for a request that it has begun to look at. If it takes longer, who asked was killed before it posted the request.
const patience = 200 * time.Millisecond

// post takes back a request that was not looked at, and makes one of both.
func (h *head) post(ctx context.Context, wanted uint32, rules string) {
	if atomic.AndUint32(h.word(atAttention), ^uint32(waits))&waits == 0 {
		short, stop := context.WithTimeout(ctx, patience)
		h.answered(short)
		stop()
	} else {
		before := binary.LittleEndian.Uint32(h.mem[atWanted:])
		if wanted&(wantPause|wantResume) == 0 {
			wanted |= before & (wantPause | wantResume)
		}
		if wanted&wantRules == 0 && before&wantRules != 0 {
			wanted |= wantRules
			rules = text(h.mem[atRules:][:maxRules])
		}
	}
	clear(h.mem[atRules:][:maxRules])
	copy(h.mem[atRules:][:maxRules-1], rules)
	binary.LittleEndian.PutUint32(h.mem[atWanted:], wanted)
	atomic.AddUint32(h.word(atAsked), 1)
	atomic.OrUint32(h.word(atAttention), waits)
}

// text returns what stands before a zero.
func text(p []byte) string {
	for i, b := range p {
		if b == 0 {
			return string(p[:i])
		}
	}
	return string(p)
}
