package serve

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// answerBytes is the number of bytes of a large answer that are collected before the first are sent. Errors before that have a status of their own.
const answerBytes = 64 << 10

// heldBytes is the same of the answer of an analysis, which may find out late that it takes too much memory.
const heldBytes = 4 << 20

// answer collects the bytes of an answer. A small answer is sent when it is complete, and then takes no more memory than its bytes. A large
// answer is sent while it is made. Both are compressed while the answer holds its turn.
type answer struct {
	*request
	collected []byte
	sending   bool    // the answer is sent while it is made
	coding    *coding // nil for an answer that is not compressed
	coder     coder
}

// errHead ends the making of a long answer of which only the headers are wanted.
var errHead = errors.New("only the headers are wanted")

// Write implements io.Writer.
func (a *answer) Write(b []byte) (int, error) {
	if !a.sending {
		if a.fits(b) {
			a.collected = append(a.collected, b...)
			return len(b), nil
		}
		if err := a.begin(); err != nil {
			return 0, err
		}
	}
	return len(b), a.forward(b)
}

// fits reports whether further bytes are collected.
func (a *answer) fits(b []byte) bool {
	n := len(a.collected) + len(b)
	return n < max(answerBytes, a.held) || a.kind != large && n <= smallBytes
}

// begin begins to send an answer that is not complete.
func (a *answer) begin() error {
	if a.kind != large {
		if err := a.enlarge(largeWork); err != nil {
			return err
		}
	}
	a.sending = true
	if a.coding = a.chooseCoding(); a.coding != nil {
		a.coder = a.coding.to(passing{a})
	}
	a.describeBody()
	first := a.collected
	a.collected = nil
	return a.forward(first)
}

// chooseCoding returns the coding of the answer, nil for none.
func (a *answer) chooseCoding() *coding {
	if !isCoded(a.out.Header().Get("Content-Type")) {
		return nil
	}
	return negotiate(a.Header.Values("Accept-Encoding"))
}

// describeBody sets the headers that depend on the coding.
func (a *answer) describeBody() {
	h, tag := a.out.Header(), a.tag
	if isCoded(h.Get("Content-Type")) {
		h.Add("Vary", "Accept-Encoding")
	}
	if a.coding != nil {
		h.Set("Content-Encoding", a.coding.name)
		tag += "-" + a.coding.name
	}
	if a.tag != "" {
		h.Set("ETag", `"`+tag+`"`)
	}
}

// forward compresses or passes on the next bytes of an answer that is being sent.
func (a *answer) forward(b []byte) (err error) {
	switch {
	case a.out.head:
		a.out.WriteHeader(http.StatusOK)
		return errHead
	case a.coder != nil:
		_, err = a.coder.Write(b)
	default:
		_, err = passing{a}.Write(b)
	}
	return err
}

// passing sends bytes as they are, in large parts.
type passing struct{ *answer }

// Write implements io.Writer.
func (p passing) Write(b []byte) (n int, err error) {
	a := p.answer
	if len(a.collected)+len(b) < answerBytes {
		a.collected = append(a.collected, b...)
		return len(b), nil
	}
	if len(a.collected) > 0 {
		if _, err := a.out.Write(a.collected); err != nil {
			return 0, err
		}
		a.collected = a.collected[:0]
	}
	if len(b) < answerBytes/2 {
		a.collected = append(a.collected, b...)
		return len(b), nil
	}
	return a.out.Write(b)
}

// complete makes a collected answer ready to be sent.
func (a *answer) complete() (err error) {
	if len(a.collected) >= leastCoded {
		a.coding = a.chooseCoding()
	}
	if a.coding != nil {
		if a.collected, err = a.coding.whole(a.collected); err != nil {
			return err
		}
	}
	a.describeBody()
	h := a.out.Header()
	h.Set("Content-Length", strconv.Itoa(len(a.collected)))
	h.Del("Trailer") // all headers are known
	return nil
}

// send sends what has been collected, and with it all of the answer.
func (a *answer) send() (err error) {
	switch {
	case !a.sending:
		err = a.complete()
	case a.coder != nil:
		err = a.coding.end(a.coder)
	}
	if err != nil {
		return err
	}
	if a.out.stay != nil {
		a.out.stay.Done(int64(cap(a.collected)))
	}
	_, err = a.out.Write(a.collected)
	return err
}

// stream writes an answer.
func (r *request) stream(write func(io.Writer) error) error {
	a := &answer{request: r}
	err := write(a)
	if a.sending && r.out.head {
		return nil // the answer was not made to its end
	}
	if err != nil {
		return err
	}
	return a.send()
}
