package serve

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The grammar of the text format, from https://prometheus.io/docs/instrumenting/exposition_formats/ and the data model.
var (
	helpLine   = regexp.MustCompile(`^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)*)$`)
	typeLine   = regexp.MustCompile(`^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\\\|\\"|\\n)*",?)*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\\\|\\"|\\n)*)"`)
)

// family is a family of metrics as it was read.
type family struct {
	typ, help string
	samples   map[string]float64 // by name and labels
}

// parseMetrics reads a text in the format of Prometheus, strictly: each family is one group, with its help and type before it, and no sample
// is there twice.
func parseMetrics(t *testing.T, text string) map[string]*family {
	t.Helper()
	families, name := map[string]*family{}, ""
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		switch help, typ, sample := helpLine.FindStringSubmatch(line), typeLine.FindStringSubmatch(line), sampleLine.FindStringSubmatch(line); {
		case help != nil:
			if name = help[1]; families[name] != nil {
				t.Errorf("%s is described twice", name)
			}
			families[name] = &family{help: help[2], samples: map[string]float64{}}
		case typ != nil:
			if f := families[typ[1]]; typ[1] != name || f.typ != "" || len(f.samples) > 0 {
				t.Errorf("type out of place: %s", line)
			}
			families[name].typ = typ[2]
		case sample != nil:
			parseSample(t, families[name], name, sample)
		default:
			t.Errorf("neither help nor type nor a sample: %q", line)
		}
	}
	return families
}

func parseSample(t *testing.T, f *family, name string, sample []string) {
	t.Helper()
	suffix, ok := strings.CutPrefix(sample[1], name)
	histogram := f.typ == "histogram" && (suffix == "_bucket" || suffix == "_sum" || suffix == "_count")
	if !ok || suffix != "" && !histogram || suffix == "" && f.typ == "histogram" {
		t.Errorf("%s is no sample of %s", sample[0], name)
	}
	seen := map[string]bool{}
	for _, pair := range labelPair.FindAllStringSubmatch(sample[2], -1) {
		if seen[pair[1]] || strings.HasPrefix(pair[1], "__") {
			t.Errorf("label %s: %s", pair[1], sample[0])
		}
		seen[pair[1]] = true
	}
	value, err := strconv.ParseFloat(sample[3], 64)
	key := sample[1] + "{" + sample[2] + "}"
	if _, twice := f.samples[key]; err != nil || twice {
		t.Errorf("%s: %v, there before: %v", sample[0], err, twice)
	}
	f.samples[key] = value
}

// checkFamilies holds values against the types of their families.
func checkFamilies(t *testing.T, families map[string]*family) {
	t.Helper()
	for name, f := range families {
		if f.typ == "" || f.help == "" || (f.typ == "counter") != strings.HasSuffix(name, "_total") {
			t.Errorf("%s: type %q, help %q", name, f.typ, f.help)
		}
		for key, value := range f.samples {
			if math.IsNaN(value) || value < 0 {
				t.Errorf("%s is %v", key, value)
			}
			labels, ok := strings.CutPrefix(key, name+"_count{")
			if !ok {
				continue
			}
			last, lastBound := 0.0, math.Inf(-1)
			for bound, n := range buckets(f, name, strings.TrimSuffix(labels, "}")) {
				if n < last || bound <= lastBound {
					t.Errorf("%s: %v at %v after %v at %v", key, n, bound, last, lastBound)
				}
				last, lastBound = n, bound
			}
			if last != value || !math.IsInf(lastBound, 1) {
				t.Errorf("%s is %v, the last bucket, of %v, has %v", key, value, lastBound, last)
			}
		}
	}
}

// buckets yields the buckets of a histogram in order of their bounds.
func buckets(f *family, name, labels string) func(func(bound, n float64) bool) {
	return func(yield func(bound, n float64) bool) {
		for _, b := range append(bounds[:len(bounds):len(bounds)], math.Inf(1)) {
			text := strconv.FormatFloat(b, 'g', -1, 64)
			if n, ok := f.samples[fmt.Sprintf("%s_bucket{%s,le=%q}", name, labels, text)]; ok && !yield(b, n) {
				return
			}
		}
	}
}

// TestMetrics reads the metrics by the grammar of their format, and holds them against the questions that were asked.
func TestMetrics(t *testing.T) {
	address := listening(t, Options{})
	read := func() map[string]*family {
		status, media, text := get(t, "http://"+address+"/metrics")
		if status != http.StatusOK || media != "text/plain; version=0.0.4; charset=utf-8" {
			t.Fatalf("%d, %s", status, media)
		}
		families := parseMetrics(t, string(text))
		checkFamilies(t, families)
		return families
	}
	value := func(families map[string]*family, key string) float64 {
		t.Helper()
		name, _, _ := strings.Cut(key, "{")
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		f := families[name]
		if f == nil {
			t.Fatalf("no family %s", name)
		}
		if !strings.Contains(key, "{") {
			key += "{}"
		}
		v, ok := f.samples[key]
		if !ok && !strings.Contains(key, "status=") {
			t.Errorf("no sample %s", key)
		}
		return v
	}
	before := read()
	table := "http://" + address + "/v1/traces/ring/tables/calls"
	size := 0
	for range 3 {
		_, _, body := get(t, table+"?format=parquet")
		size += len(body)
	}
	get(t, table+"?nobody=knows")
	get(t, "http://"+address+"/nosuch")
	request1(t, "GET", "http://"+address+"/v1/traces/ring/file").Body.Close()
	eventually(t, "all requests are counted", func() bool {
		return value(read(), `pando_requests_total{route="/v1/traces/{name}/file",status="200"}`) == 1
	})
	after := read()
	const route = `route="/v1/traces/{name}/tables/{table}"`
	for key, want := range map[string]float64{
		"pando_requests_total{" + route + `,status="200"}`: 3, "pando_requests_total{" + route + `,status="400"}`: 1, `pando_requests_total{route="none",status="404"}`: 1,
		"pando_request_duration_seconds_count{" + route + "}": 4, "pando_open_files": 1, `pando_turns_limit{kind="large"}`: float64(newGates(defaultMemory)[large].Turns),
		"pando_memory_limit_bytes": defaultMemory, "pando_cache_limit_bytes": defaultMemory / allParts * cacheParts * 3 / 4, `pando_waiting_requests{kind="small"}`: 0,
		`pando_refused_requests_total{kind="large",reason="busy"}`: 0, "pando_connections_limit": defaultMemory / connectionPart / connectionBytes,
	} {
		if got := value(after, key) - max(0, before0(before, key)); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if got := value(after, "pando_response_bytes_total{"+route+"}"); got < float64(size) || got > float64(size)+1000 {
		t.Errorf("%v bytes are counted, %d were sent", got, size)
	}
	for _, key := range []string{"pando_memory_bytes", "pando_cache_bytes", "pando_cache_hits_total", "pando_cache_misses_total", "go_goroutines", "pando_connections"} {
		if v := value(after, key); v < 1 {
			t.Errorf("%s is %v", key, v)
		}
	}
	if start := value(after, "process_start_time_seconds"); math.Abs(float64(time.Now().Unix())-start) > 3600 {
		t.Errorf("the server started at %v", start)
	}
	if len(after["pando_build_info"].samples) != 1 {
		t.Errorf("build: %v", after["pando_build_info"])
	}
}

// before0 returns the value of a counter before, 0 for other metrics.
func before0(families map[string]*family, key string) float64 {
	name, _, _ := strings.Cut(key, "{")
	if f := families[name]; f != nil && f.typ == "counter" {
		return f.samples[key]
	}
	return 0
}

// TestRefusalsAreCounted: who is refused is counted by kind and reason.
func TestRefusalsAreCounted(t *testing.T) {
	_, _, s := serving(t, Options{})
	for _, g := range s.gates {
		g.Places, g.Turns = 0, 0
	}
	for range 3 {
		asking(s, "/v1/traces")
	}
	asking(s, "/v1/traces/ring/file")
	families := parseMetrics(t, asking(s, "/metrics").Body.String())
	refused := families["pando_refused_requests_total"].samples
	if refused[`pando_refused_requests_total{kind="small",reason="busy"}`] != 3 || refused[`pando_refused_requests_total{kind="ranges",reason="busy"}`] != 1 {
		t.Errorf("%v", refused)
	}
	if n := families["pando_requests_total"].samples[`pando_requests_total{route="/v1/traces",status="503"}`]; n != 3 {
		t.Errorf("%v requests have status 503", n)
	}
}

// TestEscapes: values of labels and help texts are escaped as the format has it.
func TestEscapes(t *testing.T) {
	e := &exposition{}
	e.family("a", "gauge", "one\\two\nthree")
	e.sample("", 1.5, "path", "a\"b\\c\nd", "x", "")
	want := "# HELP a one\\\\two\\nthree\n# TYPE a gauge\na{path=\"a\\\"b\\\\c\\nd\",x=\"\"} 1.5\n"
	if string(e.text) != want {
		t.Errorf("%q, want %q", e.text, want)
	}
	parseMetrics(t, string(e.text))
}
