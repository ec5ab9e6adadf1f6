package browsertest

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// names are those of the rows, in order, without what groups are.
func (b *browser) names(t *testing.T) []string {
	list := value[[]string](t, b, `[...document.querySelectorAll(".row .name")].map((e) => e.textContent)`)
	return slices.DeleteFunc(list, func(n string) bool { return !strings.HasPrefix(n, "rank ") })
}

// TestOrder: rows are in the order of the bytes that they sent in the window, or of the time in a region, as the engine adds both up.
func TestOrder(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	info, times := r.Info(), []int64(nil)
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, m.SendTime-info.First)
	}
	from, to := times[0], times[len(times)/3]
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := r.Window(info.First+from, info.First+to).Summary()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	const region = 3 // its place among the regions
	sent, inside := map[uint64]uint64{}, map[uint64]uint64{}
	for _, m := range sums.Messages {
		sent[m.SendLocation] += m.Bytes.Lo // of messages under way in the window
	}
	for _, c := range sums.Calls {
		if c.Region == d.Regions()[region] {
			inside[c.Location] += c.Exclusive.Lo
		}
	}
	for order, by := range map[string]map[uint64]uint64{"sent": sent, fmt.Sprintf("r%d", region): inside} {
		want, places := slices.Clone(ids), d.Places(ids)
		slices.SortStableFunc(want, func(a, b uint64) int { return -compare(by[a], by[b]) })
		if len(by) == 0 || slices.Equal(want, ids) {
			t.Fatalf("%s: %v leaves the order as it is", order, by)
		}
		b.open(t, part(url, from, to, "&order="+order))
		for i, name := range b.names(t) {
			if label := places[slices.Index(ids, want[i])].Label; name != label {
				t.Errorf("order %s: row %d is %s, want %s", order, i, name, label)
			}
		}
	}
	b.sound(t)
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// analysed is a row of a table of what was found.
type analysed struct {
	Location     int   `json:"location"`
	Start        int64 `json:"start_ticks"`
	End          int64 `json:"end_ticks"`
	Duration     int64 `json:"duration_ticks"` // where there is no end
	Begin        int64 `json:"begin_ticks"`
	Number       int   `json:"number"`
	Communicator int   `json:"communicator"`
}

// latest keeps of each operation the part of the location that came last, from whose begin on it is marked.
func latest(rows []analysed) (list []analysed) {
	last := map[[2]int]analysed{}
	for _, r := range rows {
		key := [2]int{r.Communicator, r.Number}
		if old, ok := last[key]; !ok || r.Begin > old.Begin {
			last[key] = r
		}
	}
	for _, r := range last {
		r.Start, r.End = r.Begin, r.Begin
		list = append(list, r)
	}
	return list
}

// TestOver: what an analysis found is drawn where its table says: in the middle of the row, from begin to end.
func TestOver(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	length := r.Info().Last - r.Info().First
	from, to := length/8, length+1
	for over, table := range map[string]string{"critical": "critical_path", "waits": "waits", "collectives": "collective_ranks", "unusual": "unusual"} {
		rows := tableOf(t, fmt.Sprintf("%s/v1/traces/run/tables/%s?format=json&from=%d&to=%d", url, table, from, to))
		least := 3.0 // pixels of a box whose middle is looked at
		if over == "collectives" {
			rows, least = latest(rows), 0
		}
		b.open(t, part(url, from, to, "&lines=0&over="+over))
		width := value[float64](t, b, "bands.width")
		var points [][2]int
		for _, row := range rows {
			row.End = max(row.End, row.Start+row.Duration)
			begin, end := float64(max(from, row.Start)-from)*width/float64(to-from), float64(min(to, row.End)-from)*width/float64(to-from)
			if x := (begin + end) / 2; end-begin >= least && x > 4 && x < width-4 {
				points = append(points, [2]int{int(x), row.Location})
			}
		}
		right := value[int](t, b, fmt.Sprintf(`(() => {
			const d = bands.getContext("2d").getImageData(0, 0, bands.width, bands.height).data, hex = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
			const want = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)), top = document.getElementById("rows").getBoundingClientRect().top;
			const ys = [...document.querySelectorAll(".row")].slice(1).map((e) => Math.floor(e.getBoundingClientRect().top - top + parseInt(e.style.lineHeight) / 2));
			return %s.filter(([x, row]) => want.every((v, i) => Math.abs(d[4 * (ys[row] * bands.width + x) + i] - v) < 40)).length;
		})()`, strings.ReplaceAll(fmt.Sprint(points), " ", ",")))
		if len(points) < 2 || right != len(points) {
			t.Errorf("%s: %d of %d places of the table are marked", over, right, len(points))
		}
	}
	b.sound(t)
}

func tableOf(t *testing.T, url string) (rows []analysed) {
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&rows); err != nil || len(rows) == 0 {
		t.Fatalf("%s: %d rows, %v", url, len(rows), err)
	}
	return rows
}

// TestLinesOfCall: where messages are too many for lines, those of the call that was picked are lines: what it changes of the picture lies between send and receive.
func TestLinesOfCall(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(6, 1000, 1), store.Options{SliceEvents: 2000})
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(900, 600))
	info, all := r.Info(), []trace.Message(nil)
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	ids, err := r.LocationIDs()
	if err != nil || len(all) <= 2000 {
		t.Fatal(len(all), err)
	}
	m := all[len(all)/2]
	at := fmt.Sprintf("&panel=details&at=%d,%d", slices.Index(ids, m.ReceiveLocation), m.ReceiveTime-info.First-1)
	b.open(t, part(url, 0, info.Last-info.First+1, "&panel=details"))
	b.run(t, chromedp.Evaluate(`sessionStorage.setItem("before", JSON.stringify([...`+imageOf+`.data]))`, nil))
	b.open(t, part(url, 0, info.Last-info.First+1, at))
	found := value[[]int](t, b, `(() => { const now = `+imageOf+`, before = JSON.parse(sessionStorage.getItem("before")), columns = new Set();
		for (let i = 0; i < before.length; i++) if (before[i] !== now.data[i]) columns.add((i >> 2) % now.width);
		return [now.width, ...columns].map(Number) })()`)
	x := func(ticks int64) int {
		return int(float64(ticks-info.First) / float64(info.Last-info.First+1) * float64(found[0]))
	}
	if len(found) < 2 || slices.Min(found[1:]) < x(m.SendTime)-3 || slices.Max(found[1:]) > x(m.ReceiveTime)+3 {
		t.Errorf("columns %v of the picture change, of a message from %d to %d", found, x(m.SendTime), x(m.ReceiveTime))
	}
	b.sound(t)
}

// TestMatrixCell: a click on a cell of the matrix leaves only the messages of its two ranks, and a second one shows all again.
func TestMatrixCell(t *testing.T) {
	url, _, _ := serving(t, tracegen.Ring(6, 100, 1), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run&panel=matrix")
	side := value[float64](t, b, `document.querySelector(".matrix canvas").height / 6`)
	click := func(sender, receiver float64) {
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`(() => { const c = document.querySelector(".matrix canvas"), r = c.getBoundingClientRect();
			c.dispatchEvent(new MouseEvent("click", {clientX: r.left + %v, clientY: r.top + %v, bubbles: true})) })()`, (receiver+0.5)*side, (sender+0.5)*side), nil))
	}
	all := value[string](t, b, `bands.toDataURL()`)
	click(2, 3)
	b.until(t, `location.hash.includes("pair=2%2C3")`)
	b.rests(t)
	if one := value[string](t, b, `bands.toDataURL()`); one == all {
		t.Error("the picture has all messages still")
	}
	click(2, 3)
	b.until(t, `!location.hash.includes("pair=")`)
	b.rests(t)
	if again := value[string](t, b, `bands.toDataURL()`); again != all {
		t.Error("the picture does not have all messages again")
	}
	b.sound(t)
}

// TestLegend: a click on a region's name takes its colour away from the picture, another one gives it back; the box beside it gives it another one.
func TestLegend(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run&lines=0")
	has := func(hex string) int {
		return value[int](t, b, fmt.Sprintf(`(() => { const d = new Uint32Array(bands.getContext("2d").getImageData(0, 0, bands.width, bands.height).data.buffer), h = %q;
			const want = (0xff000000 | parseInt(h.slice(5, 7), 16) << 16 | parseInt(h.slice(3, 5), 16) << 8 | parseInt(h.slice(1, 3), 16)) >>> 0; return d.filter((v) => v === want).length })()`, hex))
	}
	first := value[string](t, b, `document.querySelector("#panel input[type=color]").value`)
	before := has(first)
	b.run(t, chromedp.Click("#panel button.name"))
	b.until(t, `location.hash.includes("pale=")`)
	b.rests(t)
	if after := has(first); before < 1000 || after > 0 {
		t.Errorf("%d pixels had the colour %s, and %d have it without", before, first, after)
	}
	b.run(t, chromedp.Click("#panel button.name"), chromedp.Evaluate(`(() => { const i = document.querySelector("#panel input[type=color]"); i.value = "#123456"; i.dispatchEvent(new Event("change", {bubbles: true})) })()`, nil))
	b.until(t, `location.hash.includes("123456") && !location.hash.includes("pale=")`)
	b.rests(t)
	if after := has("#123456"); after != before {
		t.Errorf("%d pixels have the new colour, %d had the old one", after, before)
	}
}

// TestFollowing: the page follows a file that is being written, and takes up its end.
func TestFollowing(t *testing.T) {
	whole := stored.Bytes(t, tracegen.Ring(4, 4000, 1), store.Options{SliceEvents: 2000})
	url, dir, _ := serving(t, tracegen.Ring(3, 20, 1), serve.Options{})
	path := filepath.Join(dir, "new.pando.part")
	write := func(size int) {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(len(whole) / 2)
	b := browse(t, url)
	b.open(t, url+"/#trace=new")
	b.run(t, chromedp.Click(`//label[contains(., "follow")]/input`))
	end := func() float64 {
		return value[float64](t, b, `Number(new URLSearchParams(location.hash.slice(1)).get("to"))`)
	}
	before := end()
	b.until(t, `performance.now() > 3000`) // the page has looked at the file once
	write(len(whole) * 3 / 4)
	b.until(t, fmt.Sprintf(`Number(new URLSearchParams(location.hash.slice(1)).get("to")) > %v`, before))
	b.rests(t)
	middle := end()
	write(len(whole))
	if err := os.Rename(path, filepath.Join(dir, "new.pando")); err != nil {
		t.Fatal(err)
	}
	b.until(t, fmt.Sprintf(`Number(new URLSearchParams(location.hash.slice(1)).get("to")) > %v && ![...document.querySelectorAll("label")].some((l) => l.textContent.includes("follow"))`, middle))
	b.sound(t)
}

// TestFindEvents: the next and the previous event of a kind are those of the engine, and what is listed says where it is.
func TestFindEvents(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	info, from := r.Info(), (r.Info().Last-r.Info().First)*97/100
	found := func(all iter.Seq2[trace.Event, error]) string {
		for e, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%d,%d", slices.Index(ids, e.Batch.Location), e.Batch.Times[e.Index]-info.First)
		}
		t.Fatal("no such event")
		return ""
	}
	w := r.Window(info.First+from+1, info.Last+1).WithKinds(trace.KindMpiCollectiveEnd)
	next := found(w.Events())
	b.open(t, part(url, from, from+100_000, "&panel=find"))
	b.until(t, `document.querySelectorAll("#kind option").length > 5`)
	b.run(t, chromedp.Evaluate(`kind.value = "MpiCollectiveEnd"; kind.dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	at := func(key, want string) {
		t.Helper()
		b.press(t, key)
		b.until(t, fmt.Sprintf(`new URLSearchParams(location.hash.slice(1)).get("at") === %q`, want))
	}
	at("n", next)
	var second int64
	if _, err := fmt.Sscanf(next[strings.Index(next, ",")+1:], "%d", &second); err != nil {
		t.Fatal(err)
	}
	at("N", found(r.Window(info.First, info.First+second).WithKinds(trace.KindMpiCollectiveEnd).EventsBackward()))
	b.sound(t)
}
