package compare

import (
	"context"
	"errors"
	"io"

	"github.com/pandotrace/pando/trace"
)

// Programs compares what two programs did: on each location the sequence of enters and leaves by the names of regions, of sends and
// receives by the rank of the peer, the members of the communicator, tag and bytes, and of collective operations by operation, members,
// root and bytes. Times and ids do not count, nor whether an operation blocked; other events are passed over. Locations are
// matched by their rank, those without one by the order of their definitions, and the report has their number in that order.
// progress, which may be nil, is called now and then with the number of records of a that were compared.
func Programs(ctx context.Context, a, b trace.Source, progress func(records uint64)) (*Report, error) {
	r := &Report{Meta: []Change{}, Parts: []Part{}}
	p, err := newProgram(a)
	if err != nil {
		return nil, err
	}
	q, err := newProgram(b)
	if err != nil {
		return nil, err
	}
	for i := range max(len(p.order), len(q.order)) {
		part, err := compareCourses(ctx, p.course(i), q.course(i), i)
		if err != nil {
			return nil, err
		}
		if r.Records += part.compared; len(part.Kinds) > 0 {
			r.Parts = append(r.Parts, part.Part)
		}
		if progress != nil {
			progress(p.read)
		}
	}
	r.Equal = len(r.Parts) == 0
	return r, nil
}

type coursePart struct {
	Part
	compared uint64
}

// compareCourses compares what two locations did, act by act.
func compareCourses(ctx context.Context, a, b *course, number int) (p coursePart, err error) {
	defer func() { err = errors.Join(err, a.close(), b.close()) }()
	location := uint64(number)
	p.Part = Part{Name: "course", Location: &location}
	for ; ; p.compared++ {
		x, hasX, err := a.next()
		if err != nil {
			return p, err
		}
		y, hasY, err := b.next()
		if err != nil {
			return p, err
		}
		switch {
		case !hasX && !hasY:
			return p, nil
		case !hasX || !hasY || x != y:
			p.differs(x, y, hasX, hasY, p.compared)
		}
		if p.compared%contextEvery == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
	}
}

// contextEvery is after how many acts it is asked whether to go on.
const contextEvery = 1 << 12

// differs counts two acts that are not the same, or one that the other program does not have.
func (p *Part) differs(x, y act, hasX, hasY bool, index uint64) {
	switch {
	case hasX && hasY:
		p.at(x.kind, x.kind.String()).Changed++
	case hasX:
		p.at(x.kind, x.kind.String()).OnlyA++
	default:
		p.at(y.kind, y.kind.String()).OnlyB++
	}
	if p.First.A != "" || p.First.B != "" {
		return
	}
	p.First = Difference{IndexA: index, IndexB: index}
	if hasX {
		p.First.A = x.text()
	}
	if hasY {
		p.First.B = y.text()
	}
}

// course is what one location did. Without a stream it did nothing.
type course struct {
	program  *program
	location uint64
	stream   trace.Stream
	err      error
	batch    trace.Batch
	at       int
}

func (c *course) close() error {
	if c.stream == nil {
		return nil
	}
	return c.stream.Close()
}

// next returns the next act; ok is false at the end.
func (c *course) next() (a act, ok bool, err error) {
	for c.stream != nil && c.err == nil {
		for c.at < c.batch.Len() {
			kind, words := c.batch.Kinds[c.at], c.batch.Fields(c.at)
			c.at++
			if a, ok := c.program.act(kind, words, c.location); ok {
				return a, true, nil
			}
		}
		c.at = 0
		c.err = c.stream.Next(&c.batch, mostBatch)
		c.program.read += uint64(c.batch.Len())
	}
	if errors.Is(c.err, io.EOF) {
		return a, false, nil
	}
	return a, false, c.err
}
