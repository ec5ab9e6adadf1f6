package serve

import (
	"cmp"
	"maps"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pandotrace/pando/internal/serve/gate"
)

// bounds are the upper bounds of the histogram of durations, in seconds.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60}

// meter counts the requests of a route.
type meter struct {
	mu       sync.Mutex
	statuses map[int]int64
	buckets  [len(bounds) + 1]int64 // requests by duration, each in one
	seconds  float64
	waited   float64 // seconds in lines
	bytes    int64
	broken   int64
}

// count counts a request that has been answered.
func (m *meter) count(p *patient, took time.Duration) {
	seconds := took.Seconds()
	at, _ := slices.BinarySearch(bounds[:], seconds)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.statuses == nil {
		m.statuses = map[int]int64{}
	}
	m.statuses[p.status]++
	m.buckets[at]++
	m.seconds += seconds
	m.waited += p.waited.Seconds()
	m.bytes += p.bytes
	if p.broken {
		m.broken++
	}
}

// metrics sends the state of the server.
func (s *Server) metrics(r *request) error {
	r.out.Header().Set("Content-Type", metricsType)
	r.out.Header().Set("Cache-Control", "no-store")
	return r.stream(s.expose)
}

// health tells that the server is alive, and nothing else.
func (s *Server) health(r *request) error {
	r.out.Header().Set("Cache-Control", "no-store")
	return r.json(map[string]string{"status": "ok"})
}

// requests exposes the meters of all routes.
func (s *Server) requests(e *exposition) {
	list := append([]*route{nil}, s.routes...)
	each := func(do func(route string, m *meter)) {
		for _, r := range list {
			m, path := s.meters[r], "none"
			if r != nil {
				path = r.path
			}
			m.mu.Lock()
			do(path, m)
			m.mu.Unlock()
		}
	}
	e.family("pando_requests_total", "counter", "Requests that were answered, by route (none: there is no such path) and status.")
	each(func(route string, m *meter) {
		for _, status := range slices.Sorted(maps.Keys(m.statuses)) {
			e.sample("", float64(m.statuses[status]), "route", route, "status", strconv.Itoa(status))
		}
	})
	e.family("pando_broken_answers_total", "counter", "Answers that were broken off: the client left or took no bytes, or the rest could not be made.")
	each(func(route string, m *meter) { e.sample("", float64(m.broken), "route", route) })
	e.family("pando_response_bytes_total", "counter", "Bytes of answers that clients took, without headers.")
	each(func(route string, m *meter) { e.sample("", float64(m.bytes), "route", route) })
	e.family("pando_request_waiting_seconds_total", "counter", "Time that requests waited to be admitted and for turns.")
	each(func(route string, m *meter) { e.sample("", m.waited, "route", route) })
	e.family("pando_request_duration_seconds", "histogram", "Time from a request to the end of its answer.")
	each(func(route string, m *meter) {
		sum := int64(0)
		for i, n := range m.buckets {
			sum += n
			bound := "+Inf"
			if i < len(bounds) {
				bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
			}
			e.sample("_bucket", float64(sum), "route", route, "le", bound)
		}
		e.sample("_sum", m.seconds, "route", route)
		e.sample("_count", float64(sum), "route", route)
	})
}

// kinds exposes the gates.
func (s *Server) kinds(e *exposition) {
	for _, f := range []struct {
		name, help string
		value      func(*gate.State) float64
	}{
		{"pando_admitted_requests", "Answers under way, being made or sent.", func(g *gate.State) float64 { return float64(g.Inside) }},
		{"pando_waiting_requests", "Requests that wait to be admitted.", func(g *gate.State) float64 { return float64(g.Waiting) }},
		{"pando_waiting_requests_limit", "Places in line.", func(g *gate.State) float64 { return float64(g.Places) }},
		{"pando_turns", "Answers that are worked on.", func(g *gate.State) float64 { return float64(g.Running) }},
		{"pando_turns_limit", "Answers that are worked on at once at most.", func(g *gate.State) float64 { return float64(g.Turns) }},
		{"pando_answer_memory_bytes", "Memory that answers under way stand for.", func(g *gate.State) float64 { return float64(g.Used) }},
		{"pando_answer_memory_limit_bytes", "Memory that they may stand for.", func(g *gate.State) float64 { return float64(g.Room) }},
		{"pando_evicted_answers_total", "Answers of stalled clients that were broken off to make room.", func(g *gate.State) float64 { return float64(g.Evicted) }},
	} {
		e.family(f.name, typeOf(f.name), f.help)
		for k := range kinds {
			state := s.gates[k].State()
			e.sample("", f.value(&state), "kind", kindNames[k])
		}
	}
	e.family("pando_refused_requests_total", "counter", "Requests that were refused: for the load of all (busy, status 503), or of their client (client, status 429).")
	for k := range kinds {
		state := s.gates[k].State()
		e.sample("", float64(state.Busy), "kind", kindNames[k], "reason", "busy")
		e.sample("", float64(state.OverShare), "kind", kindNames[k], "reason", "client")
	}
}

// resources exposes memory, files, cache and connections.
func (s *Server) resources(e *exposition) {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(memory)
	open, idle := s.library.counts()
	cache := s.library.cache.Stats()
	e.one("pando_memory_bytes", "Memory that the program holds.", float64(memory[0].Value.Uint64()-memory[1].Value.Uint64()))
	e.one("pando_memory_limit_bytes", "Budget for all memory (--memory).", float64(s.options.Memory))
	e.one("pando_open_files", "Trace files that are open.", float64(open))
	e.one("pando_idle_files", "Those of them that no request reads.", float64(idle))
	e.one("pando_cache_bytes", "Decoded blocks that are kept.", float64(cache.Bytes))
	e.one("pando_cache_limit_bytes", "Budget for them.", float64(cache.Budget))
	e.one("pando_cache_hits_total", "Blocks that were there when they were needed.", float64(cache.Hits))
	e.one("pando_cache_misses_total", "Blocks that had to be decoded.", float64(cache.Misses))
	if d := s.door.Load(); d != nil {
		e.one("pando_connections", "Open connections.", float64(len(d.places)))
		e.one("pando_connections_limit", "Connections that may be open.", float64(cap(d.places)))
		e.one("pando_refused_connections_total", "Connections that were one too many.", float64(d.refused.Load()))
	}
	e.one("go_goroutines", "Goroutines.", float64(runtime.NumGoroutine()))
	e.one("process_start_time_seconds", "When the server started, since 1970.", float64(s.begin.UnixMilli())/1000)
}

// build exposes the version of the program.
func (s *Server) build(e *exposition) {
	version, revision := "", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		version = b.Main.Version
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	e.family("pando_build_info", "gauge", "1; the labels are of the program.")
	e.sample("", 1, "version", cmp.Or(version, "unknown"), "revision", revision, "goversion", runtime.Version())
}
