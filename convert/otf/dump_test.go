package otf

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// TestDump compares every definition, record and marker of the bundled traces with what otfprint, an independent reader, says of
// them.
func TestDump(t *testing.T) {
	for _, path := range indices(t) {
		t.Run(label(path), func(t *testing.T) { compareWithDump(t, path) })
	}
}

// TestDumpLarger does the same with the traces below $PANDO_TRACES.
func TestDumpLarger(t *testing.T) {
	for _, path := range larger(t) {
		t.Run(label(path), func(t *testing.T) { compareWithDump(t, path) })
	}
}

func compareWithDump(t *testing.T, path string) {
	text := tracetest.Inflated(t, strings.TrimSuffix(path, ".otf")+".otfprint.zst")
	a := mustOpen(t, path, Options{})
	compareDumps(t, printed(t, a), parseDump(string(text)))
	if w := a.Warnings(); len(w) > 0 {
		t.Errorf("warnings about a good trace: %v", w)
	}
}

func compareDumps(t *testing.T, got, want *dump) {
	t.Helper()
	compareLines(t, "definitions", got.definitions, want.definitions)
	compareLines(t, "markers", got.markers, want.markers)
	keys := slices.Collect(maps.Keys(got.records))
	keys = slices.AppendSeq(keys, maps.Keys(want.records))
	slices.Sort(keys)
	lines := 0
	for _, key := range slices.Compact(keys) {
		if strings.HasPrefix(key, "snapshot") { // otfprint gives those that stand among events first
			slices.Sort(got.records[key])
			slices.Sort(want.records[key])
		}
		compareLines(t, key, got.records[key], want.records[key])
		lines += len(want.records[key])
	}
	if lines == 0 {
		t.Error("nothing was compared")
	}
}

var (
	ofProcess   = regexp.MustCompile(`(?:process|sender|initiator|receiver) (\d+)`)
	snapCounter = regexp.MustCompile(`otime (\d+), process (\d+)`)
	callLine    = regexp.MustCompile(`^(\d+) (Enter|Leave): function (\d+),`)
)

// parseDump sorts the lines of otfprint. Where it errs or knows less than the file says, they are put right: it swaps time and process
// of SnapCounter; and a leave without a function is one of the current function.
func parseDump(text string) *dump {
	d := &dump{records: map[string][]string{}}
	stacks := map[string][]string{}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "(#")
		if !ok {
			continue
		}
		_, line, _ = strings.Cut(line, ")")
		line = strings.TrimLeft(line, " \t")
		kind := line
		if time, rest, _ := strings.Cut(line, " "); time != "" && time[0] >= '0' && time[0] <= '9' {
			kind = rest
		}
		switch {
		case strings.HasPrefix(kind, "DefMarker") || strings.HasPrefix(kind, "Marker"):
			d.markers = append(d.markers, line)
		case strings.HasPrefix(kind, "Def"):
			d.definitions = append(d.definitions, line)
		default:
			d.add(kind, line, stacks)
		}
	}
	return d
}

func (d *dump) add(kind, line string, stacks map[string][]string) {
	if strings.HasPrefix(kind, "SnapCounter") {
		line = snapCounter.ReplaceAllString(line, "otime $2, process $1")
	}
	process := ofProcess.FindStringSubmatch(line)[1]
	key := "event " + process
	switch {
	case strings.HasPrefix(kind, "Snap"):
		key = "snapshot " + process
	case strings.HasPrefix(kind, "Stat"):
		key = "statistics " + process
	}
	if m := callLine.FindStringSubmatch(line); m != nil {
		function := m[3]
		stack := stacks[process]
		if m[2] == "Enter" {
			stacks[process] = append(stack, function)
		} else {
			if function == "0" && len(stack) > 0 {
				function = stack[len(stack)-1]
				line = strings.Replace(line, "function 0", "function "+function, 1)
			}
			for i := len(stack) - 1; i >= 0; i-- {
				if stack[i] == function {
					stacks[process] = stack[:i]
					break
				}
			}
		}
	}
	d.records[key] = append(d.records[key], line)
}

// TestSums checks the statistics that otfprint does not print against the text of the file.
func TestSums(t *testing.T) {
	path := tracetest.Files(t, allRecords, ".otf")[0]
	text, err := os.ReadFile(strings.TrimSuffix(path, ".otf") + ".1.stats")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	numbers := regexp.MustCompile(`[0-9a-f]+`)
	for line := range strings.Lines(string(text)) {
		if s, ok := strings.CutPrefix(line, `SC"`); ok {
			want = append(want, strings.TrimSuffix(s, "\"\n"))
		}
		if strings.HasPrefix(line, "SFL") {
			want = append(want, decimal(numbers.FindAllString(line, -1)))
		}
	}
	var got []string
	list, err := recordsOf(mustOpen(t, path, Options{}), statisticsOf(1), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		switch {
		case len(r.texts) > 0:
			got = append(got, r.texts[0])
		case len(r.words) == 8:
			got = append(got, fmt.Sprint(r.words))
		}
	}
	if len(want) != 3 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// decimal prints hexadecimal numbers as a list of decimal ones.
func decimal(hexadecimal []string) string {
	var list []uint64
	for _, s := range hexadecimal {
		v, _ := strconv.ParseUint(s, 16, 64)
		list = append(list, v)
	}
	return fmt.Sprint(list)
}
