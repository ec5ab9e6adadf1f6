package equal

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// Programs compares what two programs did: on each location the sequence of enters and leaves by the names of regions, of sends and
// receives by the rank of the peer, the members of the communicator, tag and bytes, and of collective operations by operation, members,
// root and bytes. Times and ids do not count, nor whether an operation blocked; other events are passed over. Locations are
// matched by their rank, those without one by the order of their definitions, and the report has their number in that order.
// progress, which may be nil, is called now and then with the number of records of a that were compared.
func Programs(ctx context.Context, a, b trace.Source, progress trace.Progress) (*Report, error) {
	r := &Report{Meta: []Change{}, Parts: []Part{}}
	p, err := newProgram(a)
	if err != nil {
		return nil, err
	}
	q, err := newProgram(b)
	if err != nil {
		return nil, err
	}
	c := &programs{ctx: ctx, a: p, b: q, report: r, progress: progress}
	for _, places := range c.groups() {
		if err := c.group(places); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.Parts, func(x, y Part) int { return cmp.Compare(*x.Location, *y.Location) })
	r.Equal = len(r.Parts) == 0
	return r, nil
}

// programs is a comparison that is under way.
type programs struct {
	ctx      context.Context
	a, b     *program
	report   *Report
	progress trace.Progress
}

// groups returns the places of locations by the groups of the source that has fewer: what it keeps together is read in step.
func (c *programs) groups() (groups [][]int) {
	few, others := c.a, c.b
	if len(instep.Groups(others.src.Streams())) < len(instep.Groups(few.src.Streams())) {
		few, others = others, few
	}
	known := make([]bool, max(len(few.order), len(others.order)))
	for _, g := range instep.Groups(few.src.Streams()) {
		var places []int
		for _, s := range g {
			places = append(places, few.places[s.Location])
			known[few.places[s.Location]] = true
		}
		groups = append(groups, places)
	}
	for i := range known {
		if !known[i] {
			groups = append(groups, []int{i})
		}
	}
	return groups
}

// group compares what some locations did, in step.
func (c *programs) group(places []int) (err error) {
	var pairs []*coursePair
	for _, i := range places {
		location := uint64(i)
		pairs = append(pairs, &coursePair{part: Part{Name: "course", Location: &location}, a: c.a.course(i), b: c.b.course(i)})
	}
	defer func() {
		for _, p := range pairs {
			err = errors.Join(err, p.a.close(), p.b.close())
		}
	}()
	return instep.Run(1, pairs, c.step)
}

// step compares what two locations did in the next batches.
func (c *programs) step(p *coursePair) (covered int64, err error) {
	finished, err := p.step()
	if err := errors.Join(err, c.ctx.Err()); err != nil {
		return 0, err
	}
	c.progress.Report(int64(c.a.read), 0)
	if !finished {
		return p.covered(), nil
	}
	if c.report.Records += p.compared; len(p.part.Kinds) > 0 {
		c.report.Parts = append(c.report.Parts, p.part)
	}
	return 0, io.EOF
}

// coursePair is what one location did in both programs.
type coursePair struct {
	part     Part
	a, b     *course
	compared uint64
}

// step compares act by act until the next batch of both traces was read, or of the longer one.
func (p *coursePair) step() (finished bool, err error) {
	for batches := p.a.batches + p.b.batches; p.a.batches+p.b.batches < batches+2; p.compared++ {
		x, hasX, err := p.a.next()
		if err != nil {
			return false, err
		}
		y, hasY, err := p.b.next()
		if err != nil {
			return false, err
		}
		switch {
		case !hasX && !hasY:
			return true, nil
		case !hasX || !hasY || x != y:
			p.part.differs(x, y, hasX, hasY, p.compared)
		}
	}
	return false, nil
}

// covered returns a time up to which the locations were followed.
func (p *coursePair) covered() int64 { return max(p.a.latest, p.b.latest) }

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
	batches  int
	latest   int64 // time of the last event of the batch
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
		c.err = c.stream.Next(&c.batch, instep.MostBatch)
		c.program.read += uint64(c.batch.Len())
		if c.batches++; c.batch.Len() > 0 {
			c.latest = c.batch.Times[c.batch.Len()-1]
		}
	}
	if errors.Is(c.err, io.EOF) {
		return a, false, nil
	}
	return a, false, c.err
}
