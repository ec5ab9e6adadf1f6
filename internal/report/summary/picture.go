package summary

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
)

// mostCurves is the number of rows that a picture of a series shows.
const mostCurves = 20

// Picture returns a series as a picture: areas on top of each other, one for each of the first rows, of the column that text shows. Times are
// shares of the time of all locations. A summary without [Options.Every] has no picture.
func (s *Summary) Picture() (*draw.Series, error) {
	if s.every == 0 || s.in.from >= s.in.to {
		return nil, &OptionError{"every", "0", "only a series has a picture"}
	}
	curves, of := s.rows.curves(mostCurves)
	p := &draw.Series{Curves: curves, Stacked: true, ValuesAre: strings.TrimSpace(strings.TrimSuffix(of.Name, "_"+of.Unit) + " " + of.Unit)}
	perSecond := float64(s.in.clock)
	n := int((uint64(s.in.to-s.in.from)-1)/uint64(s.every)) + 1
	for i := range n {
		p.Times = append(p.Times, float64(s.in.from+int64(i)*s.every)/perSecond)
	}
	p.Times = append(p.Times, float64(s.in.to)/perSecond)
	colours := draw.RegionColours(s.names.Definitions())
	for i := range p.Curves {
		c := &p.Curves[i]
		var known bool
		if c.Colour, known = colours[c.Name]; !known {
			c.Colour = draw.LineColour(i)
		}
	}
	if of.Unit == "ns" {
		s.share(p, of)
	}
	p.Subtitle = fmt.Sprintf("%s to %s, %s, %s", report.Duration(float64(s.in.from)/perSecond), report.Duration(float64(s.in.to)/perSecond),
		report.Plural(n, "interval", "intervals"), report.Plural(s.locations, "location", "locations"))
	if left := s.rows.size() - len(curves); left > 0 {
		p.Subtitle += fmt.Sprintf("; %s are not shown", report.Plural(left, "more row", "more rows"))
	}
	return p, nil
}

// share turns times in ns into shares of the time of all locations.
func (s *Summary) share(p *draw.Series, of Column) {
	p.Percent, p.ValuesAre = true, strings.TrimSuffix(of.Name, "_ns")+" time, as a share of the time of all locations"
	for i := range p.Curves {
		for j := range p.Curves[i].Values {
			p.Curves[i].Values[j] /= 1e9 * (p.Times[j+1] - p.Times[j]) * float64(max(s.locations, 1))
		}
	}
}

// curves returns the first rows of a series as curves, with the column that they show.
func (t *rowsOf[R]) curves(n int) (list []draw.Curve, of Column) {
	at := max(t.column(cmp.Or(t.order, t.shown)), 0)
	for row := range t.rows[:min(n, len(t.rows))] {
		c := draw.Curve{Name: t.rowName(row)}
		for i := range t.series {
			v := t.inStep(&t.series[i], row, at)
			if v.kind == null {
				c.Values = append(c.Values, math.NaN())
			} else {
				c.Values = append(c.Values, v.asFloat())
			}
		}
		list = append(list, c)
	}
	return list, t.columns[at].Column
}

// rowName returns what text calls a row.
func (t *rowsOf[R]) rowName(row int) string {
	var parts []string
	for i := range t.columns {
		if c := &t.columns[i]; c.fixed && c.head != "" && c.text != nil {
			parts = append(parts, c.text(t.rows[row]))
		}
	}
	return strings.Join(parts, " ")
}
