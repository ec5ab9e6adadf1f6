package report

import "io"

// Printer writes text, and keeps the first error: what follows it is not written.
type Printer struct {
	To  io.Writer
	Err error
}

// Write implements io.Writer.
func (p *Printer) Write(b []byte) (int, error) {
	if p.Err != nil {
		return 0, p.Err
	}
	n, err := p.To.Write(b)
	p.Err = err
	return n, err
}
