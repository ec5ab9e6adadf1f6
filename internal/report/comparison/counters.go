package comparison

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Counter is a counter whose growth in calls was compared, region by region.
type Counter struct {
	Name string `json:"name"`
	// A value times Base to the power of Exponent is in the unit.
	Unit     string       `json:"unit"`
	Base     uint64       `json:"base"`
	Exponent int64        `json:"exponent"`
	Rows     []CounterRow `json:"rows"`

	member trace.MetricMember
}

// CounterRow is a region. Values are as recorded, and exclusive: by how much the counter grew while a call of the region was the innermost one.
type CounterRow struct {
	RegionName string `json:"region_name"`
	A          int64  `json:"a"`
	B          int64  `json:"b"`
	Difference int64  `json:"difference"`
	Pairs      uint64 `json:"pairs"`
	More       uint64 `json:"more"`
	Less       uint64 `json:"less"`
	Plus       int64  `json:"plus"`
	Minus      int64  `json:"minus"`
	OnlyA      int64  `json:"only_a"`
	OnlyB      int64  `json:"only_b"`
}

// counters makes the counters of a report.
func (r *Report) counters(c *contrast.Comparison) {
	for i := range c.Counters {
		n := &c.Counters[i]
		sums, order := map[string]*contrast.Tally{}, []string{}
		for k := 1; k < len(n.Paths); k++ {
			name := c.Forest.NameOf(n.Paths[k].Name)
			if sums[name] == nil {
				sums[name] = &contrast.Tally{}
				order = append(order, name)
			}
			sums[name].Add(&n.Paths[k].Tally)
		}
		out := Counter{Name: n.Name, Unit: n.Unit, Base: n.Member.BaseNumber(), Exponent: n.Member.Exponent, Rows: []CounterRow{}, member: n.Member}
		for _, name := range order {
			t := sums[name]
			out.Rows = append(out.Rows, CounterRow{name, t.Ticks[0], t.Ticks[1], t.Net(), t.Pairs, t.Slower, t.Faster, t.Plus, t.Minus, t.LoneTicks[0], t.LoneTicks[1]})
		}
		slices.SortStableFunc(out.Rows, func(x, y CounterRow) int { return cmp.Compare(magnitude(y.Difference), magnitude(x.Difference)) })
		r.Counters = append(r.Counters, out)
	}
}

// counterTables writes the counters: the regions with the largest differences.
func (r *Report) counterTables(w io.Writer) {
	for i := range r.Counters {
		n := &r.Counters[i]
		var rows [][]string
		for _, row := range n.Rows[:min(len(n.Rows), mostListed)] {
			share := ""
			if row.A != 0 {
				share = fmt.Sprintf("%+.1f %%", 100*float64(row.Difference)/float64(row.A))
			}
			rows = append(rows, []string{report.Cell(row.RegionName), n.text(row.A), n.text(row.B), n.signed(row.Difference), share, report.Grouped(row.More), report.Grouped(row.Less)})
		}
		fmt.Fprintf(w, "\ncounter %s: growth in calls, without those inside\n", report.Cell(n.Name))
		report.WriteTable(w, []string{"region", "a", "b", "difference", "share", "more", "less"}, []bool{false, true, true, true, true, true, true}, slices.Values(rows))
		if more := len(n.Rows) - len(rows); more > 0 {
			fmt.Fprintf(w, "… %s with smaller differences\n", report.Plural(more, "more region", "more regions"))
		}
	}
}

// text returns a value in its unit.
func (n *Counter) text(v int64) string {
	scaled := n.member.Scaled(float64(v))
	switch {
	case n.Unit == "s":
		return report.Duration(scaled)
	case n.Exponent == 0:
		return strings.TrimSpace(report.Grouped(v) + " " + unitText(n.Unit))
	}
	return strings.TrimSpace(strconv.FormatFloat(scaled, 'g', 4, 64) + " " + unitText(n.Unit))
}

// unitText returns a unit for text; # is that of numbers, which have none.
func unitText(unit string) string {
	if unit == "#" {
		return ""
	}
	return report.Cell(unit)
}

// signed returns a value with its sign.
func (n *Counter) signed(v int64) string {
	if v < 0 {
		return "-" + n.text(-v)
	}
	return "+" + n.text(v)
}
