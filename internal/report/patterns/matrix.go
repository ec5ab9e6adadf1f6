package patterns

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// NoMessagesError says that there is no matrix to draw.
type NoMessagesError struct{ Trace string }

// Error says that there are no messages.
func (e *NoMessagesError) Error() string {
	return e.Trace + ": there are no messages between ranks, and so no matrix"
}

// Picture returns the matrix of each phase with messages, with at most a number of rows: who sent how many bytes to whom. Neighbouring ranks share a row if they are more.
func (r *Report) Picture(rows int) (draw.Heatmaps, error) {
	var list draw.Heatmaps
	for i := range r.Phases {
		p := &r.Phases[i]
		if p.Messages == 0 {
			continue
		}
		h := r.matrix(i).Grouped(rows).Picture(report.MeasureBytes)
		h.Title = filepath.Base(r.Trace)
		if len(r.Phases) > 1 {
			h.Title += ": " + r.name(i)
		}
		h.Subtitle += "; " + p.Pattern.Name
		list = append(list, h)
	}
	if len(list) == 0 {
		return nil, &NoMessagesError{r.Trace}
	}
	return list, nil
}

// matrix returns what the messages of a phase add up to.
func (r *Report) matrix(phase int) *report.Matrix {
	p, x := &r.Phases[phase], r.found[phase]
	m := &report.Matrix{From: p.FromTicks, To: p.ToTicks, TicksPerSecond: r.TicksPerSecond}
	for rank := range x.Traffic.Ranks {
		m.Ends = append(m.Ends, report.MatrixEnd{Label: rankLabel(rank, x.At(rank)), Ranks: 1, Rank: int64(rank)})
	}
	for _, c := range x.Traffic.Pairs {
		m.Cells = append(m.Cells, report.MatrixCell{From: c.From, To: c.To, Count: c.Messages, Bytes: trace.Sum{Lo: c.Bytes}})
	}
	return m
}

// rankLabel names a rank, with its coordinates on the topology of the trace if there is one: "rank 5 (1,1)".
func rankLabel(rank int, at []int64) string {
	label := "rank " + strconv.Itoa(rank)
	if at != nil {
		label += " (" + topology.Text(at) + ")"
	}
	return label
}

// name returns what people call a phase: the loop, or where it lies among loops; of periods, when it begins.
func (r *Report) name(phase int) string {
	p := &r.Phases[phase]
	switch {
	case !r.Loops:
		return r.duration(p.FromTicks) + " to " + r.duration(p.ToTicks)
	case p.Loop != nil && p.Loop.Least == p.Loop.Most:
		return fmt.Sprintf("%s times %s", report.Grouped(p.Loop.Most), report.Printable(p.Loop.Title))
	case p.Loop != nil:
		return fmt.Sprintf("%s to %s times %s", report.Grouped(p.Loop.Least), report.Grouped(p.Loop.Most), report.Printable(p.Loop.Title))
	case len(r.Phases) == 1:
		return "nothing repeats"
	case phase == 0:
		return "before"
	case phase+1 == len(r.Phases):
		return "behind"
	}
	return "between"
}
