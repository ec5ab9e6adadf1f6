package viewing

import (
	"io"
	"math"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/patterns"
	"github.com/pandotrace/pando/internal/report/shapes"
	"github.com/pandotrace/pando/internal/serve/asked"
)

const (
	// analysisBytes is the memory of an analysis, in bytes.
	analysisBytes = 64 << 20
	// maxUnusual is the largest number of unusual calls that one answer has. The calls around each of them are looked for.
	maxUnusual = 10_000
)

// analysis returns the answer that an analysis of a part gives as JSON, when it is written.
func analysis(p *Part, find func(io.Writer) error) Answer {
	return Answer{Events: p.Events, Bytes: analysisBytes, Type: JSON, Write: find}
}

// Patterns answers which patterns messages make: what `pando patterns --json` prints.
func (q *Question) Patterns() (Answer, error) {
	p, err := q.Part()
	if err != nil {
		return Answer{}, err
	}
	limit, err := q.Number("limit", 0, 1, math.MaxInt32)
	if err != nil {
		return Answer{}, err
	}
	asks := &patterns.Question{Trace: q.Trace, Window: p.Window, Limit: int(limit)}
	if asks.Period, err = q.period(&p); err != nil {
		return Answer{}, err
	}
	by, err := q.OneOf("by", "", "phase")
	if err != nil {
		return Answer{}, err
	}
	if asks.Loops = by != ""; asks.Loops && asks.Period > 0 {
		return Answer{}, asked.Bad("the window is divided by phase or by period, not both")
	}
	return analysis(&p, func(to io.Writer) error {
		r, err := patterns.Find(q.Context, asks)
		if err != nil {
			return err
		}
		return r.Write(to, report.JSON)
	}), nil
}

// mostPeriods is the largest number of periods that one answer has.
const mostPeriods = 1000

// period returns the length of the periods of a part in ticks, 0 for none.
func (q *Question) period(p *Part) (int64, error) {
	ticks, text, err := q.duration("period")
	if err != nil || text == "" {
		return 0, err
	}
	from, to := max(p.From, q.Trace.Info().First), min(p.To, q.Trace.Info().Last+1)
	if ticks <= 0 || (to-from)/ticks >= mostPeriods {
		return 0, asked.Bad("period=%s: a part has at most %d periods", text, mostPeriods)
	}
	return ticks, nil
}

// Shapes answers which classes of like calls there are, and which calls are unusual for theirs: what `pando shapes --json` prints.
func (q *Question) Shapes() (Answer, error) {
	p, err := q.Part()
	if err != nil {
		return Answer{}, err
	}
	unusual, err := q.Number("unusual", shapes.UsualCalls, 0, maxUnusual)
	if err != nil {
		return Answer{}, err
	}
	asks := &shapes.Question{Trace: q.Trace, Window: p.Window}
	asks.Options.Unusual, asks.Waits, asks.Memory = int(unusual), p.Regions != nil, analysisBytes
	return analysis(&p, func(to io.Writer) error {
		r, err := shapes.Find(q.Context, asks)
		if err != nil {
			return err
		}
		return r.Write(to, report.JSON, 0)
	}), nil
}
