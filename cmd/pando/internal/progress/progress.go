// Package progress shows how far long work is: a bar on standard error, if that is a terminal.
package progress

import (
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/pandotrace/pando/internal/report"
)

// patience is how long work may take before a bar shows its progress.
const patience = time.Second

// Bar is a bar on standard error. It appears only on a terminal, and when the work takes long. A nil Bar shows nothing.
type Bar struct {
	what  string
	unit  string
	total int64
	start time.Time
	bars  *mpb.Progress
	bar   *mpb.Bar
}

// New starts to measure the progress of some work; total is 0 if it is not known.
func New(what, unit string, total int64) *Bar {
	if !cwriter.New(os.Stderr).IsTerminal() {
		return nil
	}
	return &Bar{what: what, unit: unit, total: total, start: time.Now()}
}

// Printing starts to measure how much of a span of time is printed. It shows nothing unless the output goes to a
// file: a bar must not stand between lines of output, or on the screen of a pager.
func Printing(span int64) *Bar {
	if info, err := os.Stdout.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return New("printing", "", span)
}

// Report shows how much is done; it is a trace.Progress. The total of the work replaces an unknown one.
func (p *Bar) Report(done, total int64) {
	if p != nil && p.total == 0 {
		p.total = total
	}
	p.Set(done)
}

// Set shows how much is done.
func (p *Bar) Set(n int64) {
	if p == nil || p.bar == nil && time.Since(p.start) < patience {
		return
	}
	if p.bar == nil {
		p.show()
	}
	if p.total > 0 && n >= p.total { // a total may be an estimate; the bar must not end before the work does
		p.total = n + 1
		p.bar.SetTotal(p.total, false)
	}
	p.bar.SetCurrent(n)
}

func (p *Bar) show() {
	p.bars = mpb.New(mpb.WithOutput(os.Stderr), mpb.WithWidth(40))
	name := mpb.PrependDecorators(decor.Name(p.what))
	var right []decor.Decorator
	if p.unit != "" {
		right = append(right, decor.Any(func(s decor.Statistics) string { return p.speed(s.Current) }))
	}
	if p.total == 0 {
		p.bar = p.bars.New(0, mpb.SpinnerStyle(), name, mpb.AppendDecorators(right...), mpb.BarRemoveOnComplete())
		return
	}
	name = mpb.PrependDecorators(decor.Name(p.what), decor.Percentage(decor.WC{W: 6}))
	right = append(right, decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 8}))
	style := mpb.BarStyle().Lbound(" ").Filler("━").Tip("━").Padding("─").Rbound(" ")
	p.bar = p.bars.New(p.total, style, name, mpb.AppendDecorators(right...), mpb.BarRemoveOnComplete())
}

func (p *Bar) speed(n int64) string {
	perSecond := int64(float64(n) / time.Since(p.start).Seconds())
	if p.unit == "bytes" {
		return report.Size(perSecond) + "/s"
	}
	return report.Rate(float64(perSecond), p.unit)
}

// Done takes the bar away.
func (p *Bar) Done() {
	if p == nil || p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
}
