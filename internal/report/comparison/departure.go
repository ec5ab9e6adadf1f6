package comparison

import (
	"fmt"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
)

var sideNames = [2]string{"a", "b"}

// Departure is where the calls of two locations first differ, as they were aligned. A side that lacks the call has no path.
type Departure struct {
	Location string   `json:"location_label"`
	APath    []string `json:"a_path"`
	BPath    []string `json:"b_path"`
	// Iteration is the number of the outermost call on the path of which there are several, from 0; Of is its region. They are of A, unless B alone has the
	// call.
	Of        string `json:"of"`
	Iteration uint64 `json:"iteration"`

	state    align.State
	repeated bool // the location has several such calls
}

func newDeparture(c *contrast.Comparison, d *contrast.Departure) *Departure {
	names := func(side int) []string {
		list := []string{}
		for _, n := range d.Places[side].Path {
			list = append(list, c.Forest.NameOf(n))
		}
		return list
	}
	out := &Departure{Location: c.Pairs[d.Pair].A.Label, APath: names(0), BPath: names(1), state: d.State}
	place := &d.Places[0]
	if d.State == align.OnlyB {
		place = &d.Places[1]
	}
	level := 0
	if level, out.repeated = place.Iteration(); out.repeated {
		out.Of, out.Iteration = c.Forest.NameOf(place.Path[level]), place.Before[level]
	}
	return out
}

// text names location, iteration and call.
func (d *Departure) text() string {
	where := report.Printable(d.Location)
	if d.repeated {
		where += fmt.Sprintf(", %s %d", report.Cell(d.Of), d.Iteration)
	}
	a, b := report.Cell(pathText(d.APath)), report.Cell(pathText(d.BPath))
	switch d.state {
	case align.OnlyA:
		return where + ": only A has " + a
	case align.OnlyB:
		return where + ": only B has " + b
	}
	return fmt.Sprintf("%s: %s in A, %s in B", where, a, b)
}
