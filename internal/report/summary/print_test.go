package summary

import (
	"bufio"
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/tracetest"
)

// printedSum is what the calls of a region on a location come to, in ticks: inclusive time is from enter to leave, exclusive time the
// same without the direct children. These are Cube's rules, too.
type printedSum struct{ count, inclusive, exclusive int64 }

// printed is a trace as otf2-print tells it.
type printed struct {
	first, last int64
	ranks       []uint64 // locations that make calls, by id: in the traces of the test, the ranks in their order
	sums        map[string]map[uint64]*printedSum
}

// openCall is a call that has begun; inside is the time of those in it.
type openCall struct {
	region        string
	start, inside int64
}

// end ends the innermost call of a stack.
func (p *printed) end(location uint64, stack []openCall, at int64) {
	n := len(stack) - 1
	top := stack[n]
	if n > 0 {
		stack[n-1].inside += at - top.start
	}
	s := p.sum(top.region, location)
	s.count, s.inclusive, s.exclusive = s.count+1, s.inclusive+at-top.start, s.exclusive+at-top.start-top.inside
}

func (p *printed) sum(region string, location uint64) *printedSum {
	if p.sums[region] == nil {
		p.sums[region] = map[uint64]*printedSum{}
	}
	if p.sums[region][location] == nil {
		p.sums[region][location] = &printedSum{}
	}
	return p.sums[region][location]
}

// readPrinted replays the calls of a dump.
func readPrinted(t *testing.T, name string) *printed {
	text, ok := tracetest.Dump(t, name, "print.txt")
	if !ok {
		t.Fatalf("%s has no dump", name)
	}
	p := &printed{first: math.MaxInt64, last: math.MinInt64, sums: map[string]map[uint64]*printedSum{}}
	stacks := map[uint64][]openCall{}
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if strings.HasPrefix(scanner.Text(), "=== Snapshots") {
			break // they repeat the calls that are open
		}
		fields := strings.Fields(scanner.Text()[:min(len(scanner.Text()), placeEnd)])
		if len(fields) < 3 || fields[0] == "Event" || fields[0] == "===" {
			continue
		}
		location, at := uint64(integer64(t, fields[1])), integer64(t, fields[2])
		p.first, p.last = min(p.first, at), max(p.last, at)
		if fields[0] != "ENTER" && fields[0] != "LEAVE" {
			continue
		}
		region, stack := regionOf(t, scanner.Text()), stacks[location]
		if fields[0] == "ENTER" {
			stacks[location] = append(stack, openCall{region: region, start: at})
			continue
		}
		own := len(stack) - 1
		for own >= 0 && stack[own].region != region {
			own--
		}
		for n := len(stack); own >= 0 && n > own; n-- { // a call within one that is left is left, too; a leave without a call is none
			p.end(location, stack[:n], at)
			stack = stack[:n-1]
		}
		stacks[location] = stack
	}
	for location, stack := range stacks {
		p.ranks = append(p.ranks, location)
		for ; len(stack) > 0; stack = stack[:len(stack)-1] {
			p.end(location, stack, p.last)
		}
	}
	slices.Sort(p.ranks)
	return p
}

// placeEnd is behind the columns of event, location and time.
const placeEnd = 90

// regionOf returns the name in a line that ends in `Region: "name" <id>`.
func regionOf(t *testing.T, line string) string {
	_, name, ok := strings.Cut(line, `Region: "`)
	end := strings.LastIndex(name, `" <`)
	if !ok || end < 0 {
		t.Fatalf("no region in %q", line)
	}
	return name[:end]
}

func integer64(t *testing.T, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// printedTraces are bundled traces with dumps of otf2-print.
var printedTraces = []string{"otf2.mg.S.8.snapmark", "otf2.ez.hello.4.io", "otf2.ep.S.32", "otf2.ep.S.4.metric", "otf2.mg.S.16.skew"}

// TestPrinted compares summaries of whole traces with the output of otf2-print.
func TestPrinted(t *testing.T) {
	for _, name := range printedTraces {
		want, f := readPrinted(t, name), opened(t, name)
		t.Run(name+"/regions", func(t *testing.T) { checkRegions(t, name, want, f) })
		t.Run(name+"/locations", func(t *testing.T) { checkLocations(t, name, want, f) })
		t.Run(name+"/cross", func(t *testing.T) { checkCross(t, name, want, f) })
	}
}

// checkRegions: regions with their times, and how these are divided among the ranks, are what a naive pass over the output of otf2-print
// finds. Definitions of one name are one region: EZTrace has one of each on every rank.
func checkRegions(t *testing.T, name string, want *printed, f *report.Trace) {
	answer, _, _ := summaryOf(t, f, Options{})
	compared := 0
	for _, row := range answer.Rows {
		region := row["region_name"].(string)
		var all printedSum
		exclusive, inclusive := make([]float64, len(want.ranks)), make([]float64, len(want.ranks))
		for i, location := range want.ranks {
			if s := want.sums[region][location]; s != nil {
				all.count, all.inclusive, all.exclusive = all.count+s.count, all.inclusive+s.inclusive, all.exclusive+s.exclusive
				exclusive[i], inclusive[i] = float64(s.exclusive), float64(s.inclusive)
			}
		}
		same(t, name, region, row, "count", float64(all.count))
		same(t, name, region, row, "inclusive_ticks", float64(all.inclusive))
		same(t, name, region, row, "exclusive_ticks", float64(all.exclusive))
		sameLoad(t, name, region, row, "exclusive", exclusive)
		sameLoad(t, name, region, row, "inclusive", inclusive)
		compared++
	}
	if compared != len(want.sums) || compared < 4 {
		t.Errorf("%s: %d regions, want %d", name, compared, len(want.sums))
	}
}

// sameLoad compares how times are divided among the ranks with the definitions of the measures.
func sameLoad(t *testing.T, name, region string, row map[string]any, of string, times []float64) {
	t.Helper()
	sum, squares := 0.0, 0.0
	for _, v := range times {
		sum += v
	}
	mean, most := sum/float64(len(times)), slices.Max(times)
	for _, v := range times {
		squares += (v - mean) * (v - mean)
	}
	same(t, name, region, row, "ranks", float64(len(times)))
	same(t, name, region, row, "min_"+of+"_ticks", slices.Min(times))
	same(t, name, region, row, "max_"+of+"_ticks", most)
	same(t, name, region, row, "mean_"+of+"_ticks", mean)
	same(t, name, region, row, "stddev_"+of+"_ticks", math.Sqrt(squares/float64(len(times))))
	same(t, name, region, row, of+"_worst_rank", float64(slices.Index(times, most)))
	if mean > 0 {
		same(t, name, region, row, of+"_imbalance", most/mean-1)
	}
}

func same(t *testing.T, name, what string, row map[string]any, column string, want float64) {
	t.Helper()
	if got := numberIn(t, row[column]); math.Abs(got-want) > 1e-9*max(math.Abs(want), 1) {
		t.Errorf("%s: %s: %s is %v, want %v", name, what, column, got, want)
	}
}

// checkLocations: the time of each location by activity is what the output of otf2-print says, and adds up to the window.
func checkLocations(t *testing.T, name string, want *printed, f *report.Trace) {
	answer, _, _ := summaryOf(t, f, Options{By: "location"})
	rows := 0
	for _, row := range answer.Rows {
		location := uint64(numberIn(t, row["location"]))
		if !slices.Contains(want.ranks, location) {
			continue
		}
		times := map[string]int64{}
		for region, locations := range want.sums {
			if s := locations[location]; s != nil {
				times[activityOfName(region)] += s.exclusive
			}
		}
		window := want.last + 1 - want.first
		all := times["mpi"] + times["computation"] + times["io"] + times["measurement"]
		for activity, ticks := range times {
			same(t, name, "location", row, activity+"_ticks", float64(ticks))
		}
		same(t, name, "location", row, "idle_ticks", float64(window-all))
		same(t, name, "location", row, "rank", float64(slices.Index(want.ranks, location)))
		rows++
	}
	if rows != len(want.ranks) {
		t.Errorf("%s: %d locations, want %d", name, rows, len(want.ranks))
	}
}

// activityOfName tells the activity of the regions of the bundled traces by their names.
func activityOfName(region string) string {
	switch {
	case strings.HasPrefix(region, "MPI_"), strings.HasPrefix(region, "mpi_"):
		return "mpi"
	case slices.Contains([]string{"read", "write", "open", "close", "fopen", "fclose", "fread", "fwrite"}, region):
		return "io"
	}
	return "computation"
}

// checkCross: the cross table has the numbers of each region on each location.
func checkCross(t *testing.T, name string, want *printed, f *report.Trace) {
	t.Helper()
	answer, _, _ := summaryOf(t, f, Options{By: "region,location"})
	cells := 0
	for _, locations := range want.sums {
		cells += len(locations)
	}
	for _, row := range answer.Rows {
		s := want.sums[row["region_name"].(string)][uint64(numberIn(t, row["location"]))]
		if s == nil {
			t.Errorf("%s: %v", name, row)
			continue
		}
		same(t, name, "cell", row, "count", float64(s.count))
		same(t, name, "cell", row, "exclusive_ticks", float64(s.exclusive))
		same(t, name, "cell", row, "inclusive_ticks", float64(s.inclusive))
	}
	if len(answer.Rows) != cells {
		t.Errorf("%s: %d cells, want %d", name, len(answer.Rows), cells)
	}
}
