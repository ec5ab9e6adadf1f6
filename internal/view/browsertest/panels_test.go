package browsertest

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// told is a cell of a panel by its column's name: what a line of `pando summary` has there, and how the panel writes it.
type told struct {
	field string
	kind  rune // 'n' a number in full, 'q' a value of a counter with its unit, 'l' a location by the name of its row, 't' ticks, 'b' bytes, '%' a share, '"' a text
}

// panelColumns are the columns of panels that have a table, in the order of the page.
var panelColumns = map[string][]told{
	"region":          {{"", 0}, {"region_name", '"'}, {"count", 'n'}, {"exclusive_ticks", 't'}, {"exclusive_share", '%'}, {"inclusive_ticks", 't'}},
	"region,location": {{"", 0}, {"region_name", '"'}, {"location", 'l'}, {"count", 'n'}, {"exclusive_ticks", 't'}, {"exclusive_share", '%'}, {"inclusive_ticks", 't'}},
	"matrix":          {{"send_location", '"'}, {"receive_location", '"'}, {"count", 'n'}, {"send_bytes", 'b'}, {"mean_bytes", 'b'}},
	"collective":      {{"operation", '"'}, {"communicator_name", '"'}, {"count", 'n'}, {"sent_bytes", 'b'}, {"received_bytes", 'b'}},
	"callpath":        {{"region_name", '"'}, {"", 0}, {"count", 'n'}, {"exclusive_ticks", 't'}, {"exclusive_share", '%'}, {"inclusive_ticks", 't'}, {"inclusive_share", '%'}},
	"metric":          {{"member_name", '"'}, {"", 0}, {"count", 'n'}, {"min", 'q'}, {"max", 'q'}, {"last", 'q'}},
}

var panelOf = map[string]string{"region": "regions", "matrix": "matrix", "collective": "collectives", "metric": "counters", "callpath": "flame", "region,location": "regions"}

// build builds the program.
func build(t testing.TB) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "pando")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/pando")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// TestNumbers: every number in a panel is what the program `pando summary` prints of that window, to the digits that the panel has.
func TestNumbers(t *testing.T) {
	program := build(t)
	sources := map[string]trace.Source{"mg": real(t).Source(), "ring": tracegen.Ring(6, 300, 1), "counters": counters()}
	for name, src := range sources {
		url, dir, _ := serving(t, src, serve.Options{})
		n := numbers{t: t, b: browse(t, url), program: program, file: filepath.Join(dir, "run.pando"), url: url}
		length := value[int64](t, n.open("", 0, 0), `Number(new URLSearchParams(location.hash.slice(1)).get("to"))`)
		from, to := length/3, length/3+length/7
		if name == "counters" {
			n.compare("metric", 0, length, "", nil)
			if n.b.sound(t); n.compared["metric"] < 4*len(planted) {
				t.Errorf("compared %v", n.compared)
			}
			continue
		}
		for by := range panelOf {
			n.compare(by, 0, length, "", nil)
			n.compare(by, from, to, fmt.Sprintf("&area=%d,%d,2,5", from+(to-from)/4, to-(to-from)/4), []int{2, 3, 4})
		}
		n.b.sound(t)
		if slices.ContainsFunc([]string{"region", "region,location", "matrix", "collective", "callpath"}, func(by string) bool { return n.compared[by] < 6 }) || name == "ring" && n.compared["metric"] == 0 {
			t.Errorf("%s: compared %v", name, n.compared)
		}
	}
}

// numbers compares panels of a trace with the program.
type numbers struct {
	t                  *testing.T
	b                  *browser
	program, file, url string
	compared           map[string]int
}

// open opens a part of the trace, all of it if the part is empty.
func (n *numbers) open(more string, from, to int64) *browser {
	at := n.url + "/#trace=run" + more
	if to > from {
		at = part(n.url, from, to, more)
	}
	n.b.open(n.t, at)
	return n.b
}

// compare compares a panel about [from, to), or about an area within it that has some rows.
func (n *numbers) compare(by string, from, to int64, area string, rows []int) {
	n.t.Helper()
	if n.open("&panel="+panelOf[by]+area, from, to); by == "region,location" {
		n.b.run(n.t, chromedp.Click("#byrow"))
		n.b.until(n.t, `location.hash.includes("by=row")`)
		n.b.open(n.t, value[string](n.t, n.b, "location.href")) // the address has it
	}
	arguments := []string{"summary", n.file, "--by", by, "--json", "--limit", "5000"}
	if area != "" {
		from, to = from+(to-from)/4, to-(to-from)/4
	}
	arguments = append(arguments, "--from", fmt.Sprint(from), "--to", fmt.Sprint(to))
	for _, row := range rows {
		arguments = append(arguments, "--location", n.ids()[row])
	}
	if by == "callpath" {
		arguments = append(arguments, "--min-share", "0.002")
	}
	out, err := exec.CommandContext(n.t.Context(), n.program, arguments...).Output()
	if err != nil {
		n.t.Fatalf("%v: %v: %s", arguments, err, err.(*exec.ExitError).Stderr)
	}
	var said struct {
		PerSecond float64          `json:"ticks_per_second"`
		Rows      []map[string]any `json:"rows"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		n.t.Fatal(err)
	}
	if n.compared == nil {
		n.compared = map[string]int{}
	}
	if by == "callpath" {
		n.flame(said.Rows, said.PerSecond)
		said.Rows = slices.DeleteFunc(said.Rows, func(r map[string]any) bool { return r["inclusive_share"].(float64) < 0.002 }) // the program tells them all the same
		n.paths(said.Rows)
	}
	if by == "matrix" {
		slices.SortStableFunc(said.Rows, func(a, b map[string]any) int { return int(b["send_bytes"].(float64) - a["send_bytes"].(float64)) })
	}
	shown := value[[][]string](n.t, n.b, `[...document.querySelectorAll("#panel tbody tr")].map((r) => [...r.children].map((c) => c.textContent))`)
	if len(shown) != len(said.Rows) { // all that these traces have fits into a panel
		n.t.Fatalf("%v: the panel has %d rows, the program %d", arguments, len(shown), len(said.Rows))
	}
	for i, cells := range shown {
		for j, c := range panelColumns[by] {
			if c.kind == 'q' {
				n.quantity(cells[j], said.Rows[i], c.field)
			} else if c.kind == 'l' {
				n.row(cells[j], said.Rows[i][c.field])
			} else if c.kind == 'n' || c.kind == 't' || c.kind == 'b' || c.kind == '%' {
				n.same(by, c, cells[j], said.Rows[i][c.field], said.PerSecond)
			} else if c.field == "region_name" && cells[j] != said.Rows[i][c.field] {
				n.t.Errorf("%v: row %d is %s, not %v", arguments, i, cells[j], said.Rows[i][c.field])
			}
		}
	}
}

// planted are counters with scales of all kinds, and a value of each with how people write it.
var planted = []struct {
	base, exponent uint64
	unit           string
	value          uint64
	shown          string
}{
	{1, 0, "#", 1234567, "1,234,567"}, {1, ^uint64(8), "s", 26984495, "26.98 ms"}, {0, 10, "bytes", 3000, "2.93 MiB"}, {1, 3, "B", 5120, "5.12 MB"}, {1, 0, "byte", 999, "999 B"},
	{1, ^uint64(2), "W", 4500, "4.5 W"}, {1, 6, "J", 12, "12 MJ"}, {1, 0, "packets", 42, "42 packets"}, {0, ^uint64(1), "turns", 5, "1.25 turns"}, {1, 0, "s", 7, "7 s"},
}

// counters is a trace with the planted counters.
func counters() trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1e9})
	process, region := t.Process("process"), t.Region("work")
	b := t.Location(0, process)
	b.Append(trace.KindEnter, 0, region)
	class, values := []uint64{0, uint64(len(planted))}, []uint64{0, uint64(len(planted))}
	for i, p := range planted {
		name := t.String(fmt.Sprint("counter ", i))
		t.Define(trace.KindMetricMember, uint64(i), name, name, 1, 0, uint64(trace.ValueUint64), p.base, p.exponent, t.String(p.unit))
		class, values = append(class, uint64(i)), append(values, uint64(trace.ValueUint64), p.value)
	}
	t.Define(trace.KindMetricClass, append(class, 0, 2)...)
	b.Append(trace.KindMetric, 10, values...)
	b.Append(trace.KindMetric, 500, values...)
	b.Append(trace.KindLeave, 1000, region)
	return t
}

// quantity compares what a cell shows of a counter: of a planted one with what people write, of others, which have no scale, with the number.
func (n *numbers) quantity(shown string, row map[string]any, field string) {
	n.t.Helper()
	n.compared["metric"]++
	var number int
	if _, err := fmt.Sscanf(row["member_name"].(string), "counter %d", &number); err == nil {
		if p := planted[number]; shown != p.shown || row[field] != float64(p.value) {
			n.t.Errorf("%s is %q in the panel, want %q for %v", field, shown, p.shown, row[field])
		}
		return
	}
	said, _ := row[field].(float64)
	if amount, _, _ := strings.Cut(shown, " "); row["exponent"] != 0.0 || !written('n', amount, said, 1) {
		n.t.Errorf("%s is %q in the panel, %v in the program", field, shown, row)
	}
}

// ids are those of the locations, in the order of rows.
func (n *numbers) ids() (ids []string) {
	n.b.run(n.t, chromedp.Evaluate(`fetch("/v1/traces/run/rows").then((a) => a.json()).then((r) => r.locations.map((l) => l.id))`, &ids, awaited))
	return ids
}

// row compares the name of a row with the location of a line of the program.
func (n *numbers) row(shown string, location any) {
	n.t.Helper()
	want := value[string](n.t, n.b, fmt.Sprintf(`document.querySelectorAll(".row[aria-rowindex] .name")[%d].textContent`, 1+slices.Index(n.ids(), fmt.Sprint(location))))
	if shown != want {
		n.t.Errorf("the numbers of location %v are shown as those of %q, not %q", location, shown, want)
	}
}

// flame compares the boxes of the flame graph, whose titles have all numbers.
func (n *numbers) flame(rows []map[string]any, perSecond float64) {
	n.t.Helper()
	var want []string
	titles := value[[]string](n.t, n.b, `[...document.querySelectorAll(".flame div")].map((d) => d.title)`)
	for _, r := range rows {
		title := regexp.MustCompile("^" + regexp.QuoteMeta(r["region_name"].(string)) + `: (.*) inclusive, (.*) exclusive, (.*) calls$`)
		at := slices.IndexFunc(titles, func(t string) bool {
			m := title.FindStringSubmatch(t)
			return m != nil && written('t', m[1], r["inclusive_ticks"].(float64), perSecond) && written('t', m[2], r["exclusive_ticks"].(float64), perSecond) && written('n', m[3], r["count"].(float64), 1)
		})
		if at < 0 && r["inclusive_share"].(float64) < 0.0025 { // such boxes are too narrow to be drawn
			continue
		} else if at < 0 {
			want = append(want, fmt.Sprint(r))
			continue
		}
		titles = slices.Delete(titles, at, at+1)
		n.compared["callpath"] += 3
	}
	if len(want)+len(titles) > 0 {
		n.t.Errorf("flame: the program alone has %v, the panel %q", want, titles)
	}
}

// paths compares from where calls of each row of the table are, which the program tells by numbers of paths.
func (n *numbers) paths(rows []map[string]any) {
	n.t.Helper()
	whole := map[any]string{}
	shown := value[[]string](n.t, n.b, `[...document.querySelectorAll("#panel tbody tr")].map((r) => r.children[1].textContent)`)
	for i, r := range rows {
		from := whole[r["parent"]]
		if i >= len(shown) || shown[i] != from {
			n.t.Fatalf("row %d, %v, is not called from %q: %q", i, r, from, shown)
		}
		whole[r["path"]] = strings.TrimPrefix(from+" / "+r["region_name"].(string), " / ")
	}
}

// same compares what a cell shows with a value of the program.
func (n *numbers) same(by string, c told, shown string, said any, perSecond float64) {
	n.t.Helper()
	n.compared[by]++
	number, _ := said.(float64)
	if !written(c.kind, shown, number, perSecond) {
		n.t.Errorf("%s: %s is %q in the panel, %v in the program", by, c.field, shown, said)
	}
}

// written reports whether a text is how a panel writes a number: to four digits, shares to a tenth of a percent, and what is counted in full.
func written(kind rune, shown string, want, perSecond float64) bool {
	amount, unit, _ := strings.Cut(strings.ReplaceAll(shown, ",", ""), " ")
	got, err := strconv.ParseFloat(amount, 64)
	units := map[string]float64{"": 1, "s": perSecond, "ms": perSecond / 1e3, "µs": perSecond / 1e6, "ns": perSecond / 1e9, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "%": 0.01}
	scale, ok := units[unit]
	switch {
	case err != nil || !ok || want != 0 && (kind == 'n') != (unit == ""):
		return false
	case kind == 'n':
		return got == want
	case kind == '%':
		return math.Abs(got*scale-want) <= 0.0005001
	}
	return math.Abs(got*scale-want) <= 0.5001*math.Pow(10, math.Floor(math.Log10(math.Max(want, 1e-300)))-3)
}

// TestWritten: a digit that is wrong is seen.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		kind  rune
		shown string
		want  float64
		is    bool
	}{
		{'t', "1.234 ms", 1_234_400, true}, {'t', "1.234 ms", 1_234_600, false}, {'t', "1.234 µs", 1_234_400, false}, {'t', "0 s", 0, true}, {'t', "0 s", 1, false},
		{'n', "12,345", 12345, true}, {'n', "12,345", 12346, false}, {'b', "2.091 kB", 2091.1, true}, {'b', "2.091 kB", 2091.6, false}, {'%', "41.2 %", 0.4124, true}, {'%', "41.2 %", 0.4126, false},
	} {
		if written(c.kind, c.shown, c.want, 1e9) != c.is {
			t.Errorf("%+v", c)
		}
	}
}
