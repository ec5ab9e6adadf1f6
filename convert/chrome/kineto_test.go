package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/trace"
)

// kinetoEvent is an event as PyTorch's profiler writes it, in nanoseconds.
type kinetoEvent struct {
	phase, cat, name string
	pid, tid         any // numbers or texts
	ts, dur          int64
	id               any
	args             map[string]any
}

// json returns the event as Kineto's writer lays it out, one field after the other.
func (e *kinetoEvent) json() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"ph": "%s"`, e.phase)
	add := func(name string, value any) {
		text, _ := json.Marshal(value)
		fmt.Fprintf(&b, `, "%s": %s`, name, text)
	}
	if e.id != nil {
		add("id", e.id)
	}
	if e.cat != "" {
		add("cat", e.cat)
	}
	add("name", e.name)
	add("pid", e.pid)
	add("tid", e.tid)
	if e.phase != "M" {
		fmt.Fprintf(&b, `, "ts": %d.%03d`, e.ts/1000, e.ts%1000)
	}
	if e.phase == "X" {
		fmt.Fprintf(&b, `, "dur": %d.%03d`, e.dur/1000, e.dur%1000)
	}
	if e.phase == "f" {
		add("bp", "e")
	}
	if e.args != nil {
		add("args", e.args)
	}
	return b.String() + "}"
}

// kinetoFile is a profile: one program on two GPUs, whose streams have the numbers that CUDA gives them. The main thread's tid has 64 bits, as
// pthread_self returns.
type kinetoFile struct {
	events   []kinetoEvent
	launches int
}

const kinetoHead = `{
  "schemaVersion": 1,
  "deviceProperties": [
    {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42285268992, "computeMajor": 8, "computeMinor": 0},
    {"id": 1, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42285268992, "computeMajor": 8, "computeMinor": 0}
  ],
  "cupti_version": 22, "cuda_runtime_version": 12010, "with_flops": 1, "record_shapes": 1,
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1719000000000000000,
  "traceEvents": [
`

const kinetoTail = `
  ],
  "traceName": "/tmp/trace.json"
}
`

func (k *kinetoFile) text() []byte {
	var b bytes.Buffer
	b.WriteString(kinetoHead)
	for i := range k.events {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("  " + k.events[i].json())
	}
	b.WriteString(kinetoTail)
	return b.Bytes()
}

const (
	kinetoPid = 1234
	mainTid   = int64(140_245_837_512_512)
)

func (k *kinetoFile) meta(name string, pid, tid any, args map[string]any) {
	k.events = append(k.events, kinetoEvent{phase: "M", name: name, pid: pid, tid: tid, args: args})
}

// kinetoTrace makes a profile of some steps.
func kinetoTrace(dice *rand.Rand, steps int) *kinetoFile {
	k := &kinetoFile{}
	k.meta("process_name", kinetoPid, 0, map[string]any{"name": "python"})
	k.meta("process_labels", kinetoPid, 0, map[string]any{"labels": "CPU"})
	k.meta("process_sort_index", kinetoPid, 0, map[string]any{"sort_index": kinetoPid})
	for gpu := range 2 {
		k.meta("process_name", gpu, 0, map[string]any{"name": "python"})
		k.meta("process_labels", gpu, 0, map[string]any{"labels": fmt.Sprintf("GPU %d", gpu)})
		k.meta("process_sort_index", gpu, 0, map[string]any{"sort_index": 5000000 + gpu})
		for _, stream := range []int{7, 20} {
			k.meta("thread_name", gpu, stream, map[string]any{"name": fmt.Sprintf("stream %d ", stream)})
			k.meta("thread_sort_index", gpu, stream, map[string]any{"sort_index": stream})
		}
	}
	k.meta("thread_name", kinetoPid, mainTid, map[string]any{"name": "thread 1234 (python)"})
	k.meta("thread_sort_index", kinetoPid, mainTid, map[string]any{"sort_index": 1234})
	now, busy := int64(4_000_123_456), map[[2]int]int64{}
	for step := range steps {
		begin := now
		for range 1 + dice.IntN(4) {
			now = k.operator(dice, now+int64(dice.IntN(3000)), busy)
		}
		k.events = append(k.events, kinetoEvent{"X", "user_annotation", fmt.Sprintf("ProfilerStep#%d", step), kinetoPid, mainTid, begin, now - begin + 500, nil,
			map[string]any{"External id": 1000 + step, "Record function id": 0, "Ev Idx": step}})
		now += 1000
	}
	k.events = append(k.events, kinetoEvent{"X", "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", 4_000_000_000, now - 4_000_000_000, nil, map[string]any{"Op count": 0}},
		kinetoEvent{"i", "", "Record Window End", "", "", now, 0, nil, nil})
	return k
}

// operator adds an operator of the processor with the launch of a kernel or a copy, and that.
func (k *kinetoFile) operator(dice *rand.Rand, now int64, busy map[[2]int]int64) (end int64) {
	k.launches++
	correlation := 700 + k.launches
	gpu, stream := dice.IntN(2), []int{7, 20}[dice.IntN(2)]
	name, cat, launch := "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float*)", "kernel", "cudaLaunchKernel"
	if dice.IntN(3) == 0 {
		name, cat, launch = "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", "cudaMemcpyAsync"
	}
	length := 2000 + int64(dice.IntN(4000))
	called := now + 300
	k.events = append(k.events,
		kinetoEvent{"X", "cpu_op", "aten::add", kinetoPid, mainTid, now, length, nil, map[string]any{"External id": k.launches, "Sequence number": 5, "Fwd thread id": 0, "Input Dims": [][]int{{4, 4}, {}}}},
		kinetoEvent{"X", "cuda_runtime", launch, kinetoPid, mainTid, called, 1000, nil, map[string]any{"cbid": 211, "correlation": correlation, "External id": k.launches}},
		kinetoEvent{"s", "ac2g", "ac2g", kinetoPid, mainTid, called, 0, correlation, nil})
	at := max(called+1500+int64(dice.IntN(5000)), busy[[2]int{gpu, stream}]+100)
	took := 1000 + int64(dice.IntN(9000))
	busy[[2]int{gpu, stream}] = at + took
	k.events = append(k.events,
		kinetoEvent{"X", cat, name, gpu, stream, at, took, nil, map[string]any{"device": gpu, "stream": stream, "correlation": correlation, "External id": k.launches, "context": 1, "est. achieved occupancy %": 31, "grid": []int{1, 2, 3}}},
		kinetoEvent{"f", "ac2g", "ac2g", gpu, stream, at, 0, correlation, nil})
	return now + length
}

// TestKineto: GPUs are location groups of accelerators, their streams locations of theirs; kernels are work of a GPU; each launch is a
// message to its kernel.
func TestKineto(t *testing.T) {
	k := kinetoTrace(rand.New(rand.NewPCG(1, 2)), 20)
	a := mustOpen(t, k.text())
	if w := a.Warnings(); len(w) > 0 {
		t.Error(w)
	}
	r := pandoOf(t, a)
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range d.Locations {
		g := d.Groups[l.Group]
		creator := "none"
		if g.Creator != 0xffffffff {
			creator = d.Name(trace.SpaceLocationGroup, g.Creator)
		}
		got = append(got, fmt.Sprintf("%s/%s: %s in %s, created by %s", d.Strings[g.Name], d.Strings[l.Name], trace.EnumLocationType.Format(l.Type), trace.EnumLocationGroupType.Format(g.Type), creator))
	}
	want := []string{
		"process Spans/thread PyTorch Profiler: CPU_THREAD in PROCESS, created by none", "process/thread: CPU_THREAD in PROCESS, created by none",
		"python/thread 1234 (python): CPU_THREAD in PROCESS, created by none",
		"GPU 0/stream 7 : ACCELERATOR_STREAM in ACCELERATOR, created by none", "GPU 0/stream 20 : ACCELERATOR_STREAM in ACCELERATOR, created by none",
		"GPU 1/stream 7 : ACCELERATOR_STREAM in ACCELERATOR, created by none", "GPU 1/stream 20 : ACCELERATOR_STREAM in ACCELERATOR, created by none",
	}
	for i := range want[3:] { // the host is the process that is labelled so
		want[3+i] = strings.Replace(want[3+i], "created by none", "created by python", 1)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	activities := map[string]string{}
	for _, id := range d.Regions() {
		region, _ := d.Region(id)
		activities[d.Strings[region.Description]] = d.RegionClass(id).Activity.String()
	}
	if diff := gocmp.Diff(map[string]string{
		"kernel": "GPU", "gpu_memcpy": "GPU", "cuda_runtime": "GPU", "cpu_op": "computation", "user_annotation": "computation", "Trace": "computation",
	}, activities); diff != "" {
		t.Error(diff)
	}
	messages := 0
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		if messages++; d.Name(trace.SpaceLocation, m.SendLocation) != "thread 1234 (python)" || !strings.HasPrefix(d.Name(trace.SpaceLocation, m.ReceiveLocation), "stream ") {
			t.Errorf("%+v", m)
		}
	}
	if messages != k.launches {
		t.Errorf("%d messages for %d launches", messages, k.launches)
	}
}

// chromeFile is a file as the JSON parser of the standard library reads it.
type chromeFile struct {
	members map[string]any
	events  []string // but for metadata: places, names, times of calls, flows
	places  map[string]string
}

// parseChrome lists what must be the same there and back: calls as begins and ends, flows with category, name and id, where they stand, and
// the metadata of places that have events.
func parseChrome(t tester, text []byte) chromeFile {
	t.Helper()
	var f struct{ TraceEvents []map[string]any }
	all := map[string]any{}
	for _, into := range []any{&f, &all} {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	delete(all, "traceEvents")
	file := chromeFile{members: all, places: map[string]string{}}
	used := map[string]bool{}
	nanoseconds := func(v any) int64 {
		whole, frac, _ := strings.Cut(fmt.Sprint(v), ".")
		var n int64
		fmt.Sscan(whole+(frac + "000")[:3], &n)
		return n
	}
	for _, e := range f.TraceEvents {
		pid, _ := json.Marshal(e["pid"])
		tid, _ := json.Marshal(e["tid"])
		place := string(pid) + "/" + string(tid)
		if e["ph"] == "M" {
			args, _ := json.Marshal(e["args"])
			if name := e["name"].(string); strings.HasPrefix(name, "process") {
				file.places[string(pid)+" "+name] = string(args)
			} else {
				file.places[place+" "+name] = string(args)
			}
			continue
		}
		used[string(pid)], used[place] = true, true
		args, _ := json.Marshal(e["args"])
		line := fmt.Sprintf("%s at %d: %v, %v", place, nanoseconds(e["ts"]), e["cat"], e["name"])
		switch e["ph"] {
		case "X":
			file.events = append(file.events, fmt.Sprintf("%s %s", line, args), fmt.Sprintf("%s ends at %d", place, nanoseconds(e["ts"])+nanoseconds(e["dur"])))
		case "B":
			file.events = append(file.events, fmt.Sprintf("%s %s", line, args))
		case "E":
			file.events = append(file.events, fmt.Sprintf("%s ends at %d", place, nanoseconds(e["ts"])))
		default:
			file.events = append(file.events, fmt.Sprintf("%s %s, id %v, bp %v %s", e["ph"], line, e["id"], e["bp"], args))
		}
	}
	maps.DeleteFunc(file.places, func(k, _ string) bool { at, _, _ := strings.Cut(k, " "); return !used[at] })
	slices.Sort(file.events)
	return file
}

// TestKinetoThereAndBack: the way back keeps pids, tids, names, sort indices, labels, members of the object, calls with their arguments, and
// flows with category, name and id; also where ids of processes and threads are texts.
func TestKinetoThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		k := kinetoTrace(dice, 1+dice.IntN(5))
		rename := map[any]any{kinetoPid: rapid.SampledFrom([]any{kinetoPid, "1234", "host", `"q"`, int64(1) << 62, "7b"}).Draw(t, "pid"),
			mainTid: rapid.SampledFrom([]any{mainTid, "main", "42", int64(-3), uint64(1<<63 + 5)}).Draw(t, "tid")}
		for i := range k.events {
			e := &k.events[i]
			if to, ok := rename[e.pid]; ok {
				e.pid = to
			}
			if to, ok := rename[e.tid]; ok {
				e.tid = to
			}
		}
		text := k.text()
		r := pandoOf(t, mustOpen(t, text))
		want, got := parseChrome(t, text), parseChrome(t, exported(t, r, r.All()))
		for _, diff := range []string{gocmp.Diff(want.events, got.events), gocmp.Diff(want.places, got.places), gocmp.Diff(want.members, got.members)} {
			if diff != "" {
				t.Fatalf("%s", diff)
			}
		}
	})
}

// TestKinetoWindows: a window of a profile, of some streams, has both ends of each of its messages, with the names and ids of their flows.
func TestKinetoWindows(t *testing.T) {
	k := kinetoTrace(rand.New(rand.NewPCG(5, 6)), 10)
	r := pandoOf(t, mustOpen(t, k.text()))
	info, crossing := r.Info(), 0
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		from := info.First + (info.Last-info.First)*i/20
		to := from + (info.Last-info.First)/30
		w := r.Window(from, to)
		if i%2 == 1 {
			w = w.WithLocations(ids[len(ids)-1-int(i)%4])
		}
		messages := 0
		for m, err := range w.Messages() {
			if err != nil {
				t.Fatal(err)
			}
			if messages++; m.SendTime < from || m.ReceiveTime >= to {
				crossing++
			}
		}
		points := map[string]string{}
		for _, e := range parseChrome(t, exported(t, r, w)).events {
			if _, id, ok := strings.Cut(e, ": ac2g, ac2g, id "); ok {
				points[strings.Fields(id)[0]] += e[:1]
			}
		}
		if len(points) != messages {
			t.Errorf("%d flows of %d messages", len(points), messages)
		}
		for id, phases := range points {
			if phases != "fs" {
				t.Errorf("flow %s has %q", id, phases)
			}
		}
	}
	if crossing == 0 {
		t.Error("no message crosses the bounds of a window")
	}
}

// TestNumbersOfMerged: numbers and texts stay apart on the way back; where the numbers of two files, merged into one trace, would mix up their
// threads, it has numbers of its own.
func TestNumbersOfMerged(t *testing.T) {
	text := []byte(`[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},{"ph":"X","name":"b","ts":1,"dur":2,"pid":1,"tid":"1"},{"ph":"X","name":"c","ts":1,"dur":2,"pid":"1","tid":1}]`)
	placesIn := func(src trace.Source) (places []string) {
		r := pandoOf(t, src)
		for _, e := range parseChrome(t, exported(t, r, r.All())).events {
			place, _, _ := strings.Cut(e, " ")
			places = append(places, place)
		}
		return slices.Compact(places)
	}
	if got := placesIn(mustOpen(t, text)); !slices.Equal(got, []string{`"1"/1`, `1/"1"`, `1/1`}) {
		t.Errorf("%q", got)
	}
	merged, err := edit.Merge(edit.AlignStarts, mustOpen(t, text), mustOpen(t, text))
	if err != nil {
		t.Fatal(err)
	}
	if got := placesIn(ofChrome{merged}); len(got) != 6 {
		t.Errorf("%q", got)
	}
}

// ofChrome is a source that says that it comes from trace events.
type ofChrome struct{ trace.Source }

// Meta implements trace.Source.
func (s ofChrome) Meta() *trace.Meta {
	meta := *s.Source.Meta()
	meta.Format = "Chrome"
	return &meta
}
