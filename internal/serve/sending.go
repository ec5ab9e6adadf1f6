package serve

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pandotrace/pando/internal/serve/gate"
)

const (
	// piece is the number of bytes that are written to a client at once.
	piece = 16 << 10
	// leastRate is the least average speed of a client over an answer, in bytes per second. An answer to a slower client is broken off.
	leastRate = 8 << 10
)

// patient is a response writer with deadlines: it gives up clients that take no bytes for some time, or bytes too slowly. It counts the bytes.
type patient struct {
	http.ResponseWriter
	ctx     context.Context
	stay    *gate.Stay // nil before the request is admitted
	stall   time.Duration
	sent    *atomic.Int64 // bytes of all answers
	head    bool          // only the headers are wanted
	status  int
	bytes   int64
	writing time.Duration // time spent in writes
	waited  time.Duration // time spent in lines
	broken  bool          // the answer was broken off
}

// WriteHeader implements http.ResponseWriter.
func (p *patient) WriteHeader(status int) {
	if p.status == 0 {
		p.status = status
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer. While the client takes bytes, other answers have the turn.
func (p *patient) Write(b []byte) (n int, err error) {
	if p.status == 0 {
		p.WriteHeader(http.StatusOK)
	}
	if p.head {
		return len(b), nil
	}
	if p.stay != nil {
		p.stay.Pause()
	}
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), piece)]
		written := 0
		written, err = p.writePiece(part)
		b, n = b[written:], n+written
	}
	if p.stay != nil {
		begin := time.Now()
		err = errors.Join(err, p.stay.Resume(p.ctx))
		p.waited += time.Since(begin)
	}
	p.broken = p.broken || err != nil
	return n, err
}

func (p *patient) writePiece(b []byte) (n int, err error) {
	allow := func() error { return p.allow(len(b)) }
	if p.stay != nil {
		err = p.stay.Sends(allow)
	} else {
		err = allow()
	}
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	n, err = p.ResponseWriter.Write(b)
	p.writing += time.Since(begin)
	p.bytes += int64(n)
	p.sent.Add(int64(n))
	return n, err
}

// allow sets the deadline by which the client must take the next bytes. Time spent on making the answer does not count.
func (p *patient) allow(bytes int) error {
	most := p.stall + time.Duration(p.bytes+int64(bytes))*time.Second/leastRate - p.writing
	deadline := time.Now().Add(min(p.stall, most))
	if end, ok := p.ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	return p.setDeadline(deadline)
}

func (p *patient) setDeadline(t time.Time) error {
	err := http.NewResponseController(p.ResponseWriter).SetWriteDeadline(t)
	if errors.Is(err, http.ErrNotSupported) {
		return nil // in tests without a connection
	}
	return err
}

// leave ends the stay, if there is one.
func (p *patient) leave() {
	if p.stay != nil {
		p.stay.Leave()
		p.stay = nil
	}
}

// cut makes the write under way fail.
func (p *patient) cut() { _ = p.setDeadline(time.Unix(1, 0)) } // of a connection that is gone there is nothing to cut
