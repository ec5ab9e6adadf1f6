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
	"github.com/pandotrace/pando/internal/report/ranges"
)

// writeText writes the report for people.
func (r *Report) writeText(w io.Writer) error {
	p := &report.Printer{To: w}
	r.partners(p)
	r.likeness(p)
	if r.comparison.Timed {
		r.times(p)
		r.tables(p)
		r.scaling(p)
		r.counterTables(p)
	}
	return p.Err
}

// times says how much time both sides take.
func (r *Report) times(w io.Writer) {
	line := func(what string, s *Span) {
		fmt.Fprintf(w, "%s: A %s, B %s: %s\n", what, r.duration(s.ATicks), r.duration(s.BTicks), r.change(s.DifferenceTicks, s.ATicks))
	}
	line("time in calls", &r.Time)
	if r.Program != r.Time {
		line("  without MPI_Init and MPI_Finalize", &r.Program)
	}
}

// scaling writes how the regions scale, if the sides have different numbers of locations.
func (r *Report) scaling(w io.Writer) {
	if r.Locations.A == r.Locations.B {
		return
	}
	var rows [][]string
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Speedup == nil || row.finding.StartsMPI || len(rows) == mostListed {
			continue
		}
		rows = append(rows, []string{
			report.Cell(row.RegionName), r.duration(row.ATicks), r.duration(row.BTicks),
			fmt.Sprintf("%.2f", *row.Speedup), percent(*row.Efficiency),
		})
	}
	fmt.Fprintf(w, "\nfrom %d to %d locations: time of all, speed-up of one\n", r.Locations.A, r.Locations.B)
	report.WriteTable(w, []string{"region", "a", "b", "speed-up", "efficiency"}, []bool{false, true, true, true, true}, slices.Values(rows))
}

// partners says which regions and locations have no partner.
func (r *Report) partners(w io.Writer) {
	l, g := &r.Locations, &r.Regions
	fmt.Fprintf(w, "A %s, B %s; without a partner: %s, %s\n", report.Printable(r.A), report.Printable(r.B), sides("region", "regions", len(g.OnlyA), len(g.OnlyB)), sides("location", "locations", len(l.OnlyA), len(l.OnlyB)))
	for _, s := range []struct {
		side    string
		regions []LoneRegion
		places  []string
	}{{"A", g.OnlyA, l.OnlyA}, {"B", g.OnlyB, l.OnlyB}} {
		if len(s.regions) > 0 {
			fmt.Fprintf(w, "  only in %s: %s\n", s.side, strings.Join(some(s.regions, loneText), ", "))
		}
		if len(s.places) > 0 {
			fmt.Fprintf(w, "  only in %s: %s\n", s.side, ranges.Of(s.places, mostListed))
		}
	}
	if r.Messages == nil {
		return
	}
	for i, list := range [][]LoneMessage{r.Messages.OnlyA, r.Messages.OnlyB} {
		if len(list) > 0 {
			fmt.Fprintf(w, "  messages only in %s: %s\n", [2]string{"A", "B"}[i], strings.Join(some(list, loneMessageText), ", "))
		}
	}
}

// sides says how many of something each side alone has.
func sides(one, many string, a, b int) string {
	if a+b == 0 {
		return "no " + one
	}
	return fmt.Sprintf("%s in A, %s in B", report.Plural(a, one, many), report.Grouped(b))
}

// loneText says what a region without a partner is.
func loneText(l LoneRegion) string {
	text := fmt.Sprintf("%s (%s)", report.Cell(l.RegionName), report.Plural(l.Count, "call", "calls"))
	if l.Wrapper {
		text += " around calls that both have"
	}
	return text
}

func loneMessageText(l LoneMessage) string {
	return fmt.Sprintf("%s (%s)", l.MessageName, report.Grouped(l.Count))
}

// mostListed is the number of entries of a list in a line.
const mostListed = 12

// some returns texts of the first entries of a list, and how many there are more.
func some[T any](list []T, text func(T) string) (out []string) {
	for i, e := range list {
		if i == mostListed && len(list) > mostListed+1 {
			return append(out, fmt.Sprintf("%d more", len(list)-i))
		}
		out = append(out, text(e))
	}
	return out
}

// likeness says how alike the structures are.
func (r *Report) likeness(w io.Writer) {
	s := &r.Structure
	if s.Levels > 0 {
		fmt.Fprintln(w, levelsText(s.Levels))
	}
	switch {
	case len(r.Pairs) == 0:
		fmt.Fprintln(w, "no location has a partner")
	case s.EqualPairs == len(r.Pairs):
		fmt.Fprintf(w, "structure: the same %s in the same order on %s\n", r.compared(), report.Plural(len(r.Pairs), "pair of locations", "pairs of locations"))
	default:
		worst := &r.Pairs[r.comparison.LeastAlike()]
		fmt.Fprintf(w, "structure: %s alike%s; equal on %d of %s; least on %s, %s\n", similarity(s.Lowest, s.Highest), unproven(s.Proven), s.EqualPairs,
			report.Plural(len(r.Pairs), "pair of locations", "pairs of locations"), report.Printable(worst.A), similarity(worst.Lowest, worst.Highest))
		if s.First != nil {
			fmt.Fprintf(w, "  first difference on %s\n", s.First.text())
		}
		r.alone(w)
	}
}

// compared says what was compared.
func (r *Report) compared() string {
	if r.Messages != nil {
		return "calls and messages"
	}
	return "calls"
}

// alone says of which regions of both sides calls have no partner on locations that have one, the regions with most such calls first.
func (r *Report) alone(w io.Writer) {
	sum := func(row *Row) uint64 { return row.finding.Alone[0] + row.finding.Alone[1] }
	var rows []*Row
	for i := range r.Rows {
		if row := &r.Rows[i]; sum(row) > 0 && row.CountA > 0 && row.CountB > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(x, y *Row) int { return cmp.Compare(sum(y), sum(x)) })
	if len(rows) > 0 && len(r.bases) == 1 {
		fmt.Fprintf(w, "  %s without a partner: %s\n", r.compared(), strings.Join(some(rows, aloneText), "; "))
	}
}

func aloneText(row *Row) string {
	alone := row.finding.Alone
	return fmt.Sprintf("%s %s in A, %s in B", report.Cell(row.RegionName), report.Grouped(alone[0]), report.Grouped(alone[1]))
}

// levelsText says that not all levels of calls were compared.
func levelsText(levels int) string {
	return fmt.Sprintf("calls further in than %s count for those around them: the structure of all takes more memory than --memory", report.Plural(levels, "level", "levels"))
}

func unproven(proven bool) string {
	if proven {
		return ""
	}
	return " (the best alignment lies between)"
}

// similarity returns a similarity in percent, as an interval if it is not proven.
func similarity(low, high float64) string {
	if high-low < 0.0005 {
		return percent(low)
	}
	return percent(low) + " to " + percent(high)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// duration returns a time with its unit.
func (r *Report) duration(units int64) string {
	return report.Duration(float64(units) / float64(r.TicksPerSecond))
}

// signed returns a difference with its sign.
func (r *Report) signed(units int64) string {
	if units < 0 {
		return "-" + r.duration(-units)
	}
	return "+" + r.duration(units)
}

// change returns a difference, and its share of a time.
func (r *Report) change(difference, of int64) string {
	if of == 0 {
		return r.signed(difference)
	}
	return fmt.Sprintf("%s (%+.1f %%)", r.signed(difference), 100*float64(difference)/float64(of))
}

// tables writes the regions: those of the program's own work that differ, then communication and waiting, then what is noise.
func (r *Report) tables(w io.Writer) {
	own := func(row *Row) bool { return row.finding.Own() }
	judged := func(row *Row) bool { return row.finding.Judged != contrast.Noise }
	slower := func(row *Row) bool { return row.OverTicks > 0 }
	parts := []struct {
		heading string
		has     func(*Row) bool
		falling bool
	}{
		{"slower in B", func(row *Row) bool { return own(row) && judged(row) && slower(row) }, false},
		{"faster in B", func(row *Row) bool { return own(row) && judged(row) && !slower(row) }, true},
		{"communication and waiting", func(row *Row) bool { return !own(row) && judged(row) }, false},
	}
	none := true
	for _, part := range parts {
		none = !r.table(w, part.heading, part.has, part.falling) && none
	}
	r.rest(w, none && r.OmittedRows <= r.noise.rows)
}

// table writes a table of some regions; false if there are none.
func (r *Report) table(w io.Writer, heading string, has func(*Row) bool, falling bool) bool {
	var rows [][]string
	for i := range r.Rows {
		if row := &r.Rows[i]; has(row) {
			rows = append(rows, r.cells(row))
		}
	}
	if len(rows) == 0 {
		return false
	}
	if falling {
		slices.Reverse(rows)
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	right := []bool{true, true, false, true, true, false, false, false}
	report.WriteTable(w, []string{"difference", "share", "region", "slower", "faster", "where", "since", "called by"}, right, slices.Values(rows))
	return true
}

// cells returns a region as a row of a table.
func (r *Report) cells(row *Row) []string {
	share := "new"
	if row.finding.Matched > 0 {
		share = fmt.Sprintf("%+.1f %%", 100*float64(row.OverTicks)/float64(row.finding.Matched))
	}
	caller := row.Path[:max(0, len(row.Path)-1)]
	over := r.signed(row.OverTicks)
	if len(row.RunsTicks) > 1 {
		over += fmt.Sprintf(" (%s to %s)", r.signed(slices.Min(row.RunsTicks)), r.signed(slices.Max(row.RunsTicks)))
	}
	return []string{
		over, share, report.Cell(row.RegionName), report.Grouped(row.Slower), report.Grouped(row.Faster),
		r.where(row), r.sinceText(row), report.Cell(pathText(caller)),
	}
}

// where says on which locations a difference is.
func (r *Report) where(row *Row) string {
	if len(row.On) == r.Locations.Pairs && len(row.On) > 1 {
		return fmt.Sprintf("all %d", len(row.On))
	}
	return ranges.Of(row.On, mostListed)
}

// sinceText says where a difference begins.
func (r *Report) sinceText(row *Row) string {
	s := row.Since
	if s == nil || !s.repeated {
		return ""
	}
	text := fmt.Sprintf("%s %d, %s", report.Cell(s.Of), s.Iteration, report.Plural(s.Calls, "call", "calls"))
	text += " from " + r.duration(s.StartTicks)
	if s.Side == sideNames[1] {
		text += " in B"
	}
	return text
}

// rest says what the tables leave out.
func (r *Report) rest(w io.Writer, all bool) {
	n := &r.noise
	switch {
	case n.regions == 0:
	case all:
		fmt.Fprintf(w, "\nno difference is more than noise: %s, %s in all\n", report.Plural(n.regions, "region", "regions"), r.signed(n.ticks))
	default:
		fmt.Fprintf(w, "\nno more than noise: %s, %s in all\n", report.Plural(n.regions, "other region", "other regions"), r.signed(n.ticks))
	}
	if more := r.OmittedRows - n.rows; more > 0 {
		fmt.Fprintf(w, "left out by --limit: %s\n", report.Plural(more, "region", "regions"))
	}
}
