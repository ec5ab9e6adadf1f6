package serve

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/serve/gate"
	"github.com/pandotrace/pando/internal/serve/viewing"
	"github.com/pandotrace/pando/store"
)

// route is one kind of question.
type route struct {
	path       string // as the mux has it
	kind       kind   // of the question before its cost is known
	doc        string
	parameters []parameter
	types      []string // media types of answers
	answer     func(*Server, *request) error
}

// tagged reports whether an answer is a function of a file, the question and the program alone. A comparison is one of two files.
func (r *route) tagged() bool {
	return !strings.Contains(r.path, "{with}") && strings.Contains(r.path, "{name}") || r.path == descriptionPath || r.isPage()
}

// isPage reports whether a route is of the viewer's page: a part of the program, and nothing of a trace.
func (r *route) isPage() bool { return r.path == "/" || strings.HasPrefix(r.path, "/view/") }

// hasParameter reports whether a query may have a parameter.
func (r *route) hasParameter(name string) bool {
	return slices.ContainsFunc(r.parameters, func(p parameter) bool { return p.name == name })
}

// coded reports whether some answers are compressed.
func (r *route) coded() bool { return slices.ContainsFunc(r.types, isCoded) }

// parameter is a parameter of a route's query.
type parameter struct{ name, doc string }

var (
	windowParameters = []parameter{
		{"from", "begin of the window, since the trace's first event: 1.5s, 20ms, 3us, 250ns, 40%, or a number of ticks"},
		{"to", "end of the window; +20ms is so much after its begin"},
		{"location", "only these locations: an id, a name, a pattern with * and ?, a place (rank 0-3), a class (@gpu), or with ! before it all others; may be repeated"},
	}
	regionParameter  = parameter{"region", "only calls of these regions: an id, a name, a pattern, a class (@mpi, @mpi/collective), or with ! before it all others; may be repeated"}
	limitParameter   = parameter{"limit", "this number of rows at most, the first ones"}
	columnsParameter = parameter{"columns", "names of the columns wanted, in their order, with commas between them (default all)"}
	rowParameters    = []parameter{
		{"format", "json (default), arrow (an IPC stream), arrow-file, parquet or csv"}, columnsParameter, limitParameter,
		{"max_rows", "refuse to answer with more rows than this"},
	}
	orderParameter = parameter{"order", "locations by their coordinates: topology, or topology=NAME for one of several (default: as they are defined)"}
	widthParameter = parameter{"width", "pixels of the picture from left to right (default 1600)"}
)

// Paths that have a meaning of their own.
const (
	descriptionPath = "/v1/openapi.json"
	healthPath      = "/healthz"
)

// description is the route of the OpenAPI document. It is not in the list of routes, because the document is made from that list.
var description = route{descriptionPath, small, "This description.", nil, []string{jsonType}, (*Server).describe}

// routes are all other routes.
var routes = []route{
	{"/v1/traces", small, "The traces, by name.", nil, []string{jsonType}, (*Server).listTraces},
	{"/v1/traces/{name}", small, "What is in a trace: numbers of everything, times, properties.", nil, []string{jsonType}, (*Server).info},
	{"/v1/traces/{name}/file", ranges, "The file itself; parts of it by Range, so that it can be opened by its URL.", nil, []string{fileType}, (*Server).file},
	{"/v1/traces/{name}/definitions", small, "All tables of definitions: an object with an array of rows for each.", nil, []string{jsonType}, (*Server).definitions},
	{"/v1/traces/{name}/tables", small, "The tables and their columns, with units.", nil, []string{jsonType}, (*Server).listTables},
	{
		"/v1/traces/{name}/tables/{table}", small, "A table, or a window of it.",
		join(windowParameters, append(rowParameters, regionParameter)...), tableTypes, (*Server).table,
	},
	{
		"/v1/traces/{name}/query", small, "Rows of a table that a condition selects, or what groups of them add up to.",
		join(windowParameters, queryParameters...), tableTypes, (*Server).ask,
	},
	{
		"/v1/traces/{name}/summary", small, "What a window adds up to, exactly: calls by region, location, process or call path, messages by pair, collective operations, counters.",
		summaryParameters, []string{jsonType, "text/csv", "text/plain", "application/vnd.google.protobuf+gzip", "image/svg+xml"}, (*Server).summary,
	},
	{
		"/v1/traces/{name}/compare/{with}", small, "What the calls of this trace (A) and of another (B) differ by, where, and how much time that cost.",
		join(compareParameters, limitParameter), []string{jsonType}, (*Server).compare,
	},
	{
		"/v1/traces/{name}/compare/{with}/{table}", small, "The same as a table.", join(compareParameters, rowParameters...),
		tableTypes, (*Server).comparedTable,
	},
	{
		"/v1/traces/{name}/cluster", small, "Which locations are alike, and what tells groups of them apart.",
		join(windowParameters, byParameter, parameter{"threshold", "merge groups in which any two locations are at least so similar, up to 1"}), []string{jsonType}, (*Server).cluster,
	},
	{
		"/v1/traces/{name}/lattice", small, "What locations have in common: concepts, which are sets of locations with all that they share.",
		join(windowParameters, byParameter), []string{jsonType}, (*Server).lattice,
	},
	{
		"/v1/traces/{name}/tree", small, "One call tree of all locations, and which of them are far from the others.",
		join(windowParameters, treeParameters...), []string{jsonType}, (*Server).tree,
	},
	{
		"/v1/traces/{name}/fold", small, "The timelines of many locations, folded to a few rows.",
		join(windowParameters, foldParameters...), []string{jsonType}, (*Server).fold,
	},
	{
		"/v1/traces/{name}/hotspots", small, "Which locations are late, in which segment, and in which calls.",
		join(windowParameters, hotspotParameters...), []string{jsonType}, (*Server).hotspots,
	},
	{
		"/v1/traces/{name}/waits", small, "Where locations wait for each other, and for whom.",
		join(windowParameters[:2], findingsParameter), []string{jsonType}, (*Server).waits,
	},
	{
		"/v1/traces/{name}/critical-path", small, "Which calls the length of the run depends on, and on which locations.",
		join(windowParameters[:2], findingsParameter), []string{jsonType}, (*Server).criticalPath,
	},
	{"/v1/traces/{name}/patterns", small, "Which pattern the messages make, in the window or in each part of it.", patternParameters, []string{jsonType}, viewer((*viewing.Question).Patterns)},
	{"/v1/traces/{name}/shapes", small, "Classes of like calls, and the calls that are unusual for their class.", shapeParameters, []string{jsonType}, viewer((*viewing.Question).Shapes)},
	{"/v1/traces/{name}/timeline.png", small, "A picture of what the locations did.", join(windowParameters, regionParameter, orderParameter, widthParameter), []string{"image/png"}, (*Server).timelinePNG},
	{"/v1/traces/{name}/timeline.svg", small, "The same as SVG.", join(windowParameters, regionParameter, orderParameter, widthParameter), []string{"image/svg+xml"}, (*Server).timelineSVG},
	{
		"/v1/traces/{name}/timeline.json", small, "The data of the picture: for each location and pixel the ticks of each region.",
		join(windowParameters, regionParameter, orderParameter, parameter{"pixels", "parts that the window is divided into (default 1000)"}), []string{jsonType}, (*Server).timelineJSON,
	},
	{
		"/v1/traces/{name}/rows", small, "What a viewer draws: a tree with locations as leaves, regions with their colours, counters.",
		[]parameter{treeParameter}, []string{jsonType}, viewer((*viewing.Question).RowsOf),
	},
	{
		"/v1/traces/{name}/tiles", small, "Bands: for each location of a lane, or for a group, and each pixel of 2^level ticks the shares of regions, in tiles of 256 pixels.",
		join(tileParameters, parameter{"group", "numbers of groups of locations, as rows has them, with commas between them: one band each, the mean of its locations"}, treeParameter),
		[]string{viewing.Tiles}, viewer((*viewing.Question).Bands),
	},
	{
		"/v1/traces/{name}/calls", small, "The calls of at least a pixel of 2^level ticks, in tiles of 256 pixels; of at least what a tile says where these are too many.",
		join(tileParameters, parameter{"exact", "true leaves out no call of at least a pixel, however long that takes"}), []string{viewing.Tiles}, viewer((*viewing.Question).Calls),
	},
	{
		"/v1/traces/{name}/lines", small, "The messages of a window as lines between rows, or how many there are where if they are more than the limit.",
		join(windowParameters, parameter{"limit", "most messages that are listed (default 2000)"},
			parameter{"pixels", "parts that the window is divided into where messages are counted, 1024 at most (default 64); fewer, as cell_ticks says, where locations are many"},
			parameter{"rows", "count only for these rows, with commas between them: 3, or 3-5 for rows 3 to 5 together (default each row)"}, treeParameter), []string{jsonType}, viewer((*viewing.Question).Messages),
	},
	{
		"/v1/traces/{name}/counters", small, "Least, greatest and last value of a counter, location by location and pixel by pixel.",
		join(windowParameters, parameter{"metric", "id of the metric"}, parameter{"member", "place of the counter among those of the metric (default 0)"},
			parameter{"pixels", "parts that the window is divided into (default 256)"}, treeParameter), []string{jsonType}, viewer((*viewing.Question).Counters),
	},
	{
		"/v1/traces/{name}/at", small, "The calls that are open on a location at a time, the outermost first: one object a line.",
		[]parameter{{"location", "id of the location"}, {"t", "time since the trace's first event: 1.5s, 20ms, 40%, or a number of ticks"}}, []string{viewing.Lines}, viewer((*viewing.Question).At),
	},
	{
		"/v1/traces/{name}/find", small, "The next, the previous or the longest calls, events, and ends of messages without a partner: one object a line.",
		findParameters, []string{viewing.Lines}, viewer((*viewing.Question).Find),
	},
	{
		"/v1/traces/{name}/export", small, "A window as a file: trace events for Perfetto, or a Pando file.",
		join(windowParameters, regionParameter, parameter{"format", "chrome or pando"}), []string{jsonType, fileType}, viewer((*viewing.Question).Export),
	},
	{healthPath, direct, "Whether the server is alive. Anybody may ask.", nil, []string{jsonType}, (*Server).health},
	{"/metrics", direct, "The state of the server, for Prometheus (text format 0.0.4).", nil, []string{"text/plain"}, (*Server).metrics},
}

// Media types.
const (
	jsonType        = "application/json"
	fileType        = "application/vnd.pando.trace" // of Pando files
	metricsType     = "text/plain; version=0.0.4; charset=utf-8"
	arrowStreamType = "application/vnd.apache.arrow.stream"
	arrowFileType   = "application/vnd.apache.arrow.file"
)

// tableTypes are the media types of tables.
var tableTypes = []string{jsonType, arrowStreamType, arrowFileType, "application/vnd.apache.parquet", "text/csv"}

// find returns the route of a request, nil if there is none for its path, and sets the path's values. Only the path as it is documented
// has a route: no doubled slash, and none at its end.
func (s *Server) find(r *http.Request) *route {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	for _, route := range s.routes {
		if route.matches(parts, r) {
			return route
		}
	}
	return nil
}

// matches compares a path with the route's, and sets its values in the request if they are alike.
func (r *route) matches(parts []string, to *http.Request) bool {
	pattern := strings.Split(r.path, "/")
	if len(parts) != len(pattern) {
		return false
	}
	for i, part := range parts {
		if name, ok := strings.CutPrefix(pattern[i], "{"); ok {
			value, err := url.PathUnescape(part)
			if err != nil || value == "" {
				return false
			}
			to.SetPathValue(strings.TrimSuffix(name, "}"), value)
		} else if part != pattern[i] {
			return false
		}
	}
	return true
}

func join(list []parameter, more ...parameter) []parameter {
	return append(list[:len(list):len(list)], more...)
}

// request is a question that is being answered.
type request struct {
	*http.Request
	out   *patient
	gates *[kinds]*gate.Gate
	kind  kind
	book  *book // the trace of the question; nil for questions about none
	trace *report.Trace
	query map[string][]string
	tag   string // the entity tag of the answer, without quotes; "" without one
	held  int    // bytes of a large answer that are collected before the first are sent, if more than usual
}

// reader returns the trace's reader. Its work ends with the request.
func (r *request) reader() *store.Reader { return r.book.reader.WithContext(r.Context()) }

// reply answers a question.
func (s *Server) reply(route *route, p *patient, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
	defer cancel()
	p.ctx = ctx
	return s.answer(route, &request{Request: r.WithContext(ctx), out: p, gates: &s.gates, kind: route.kind})
}

func (s *Server) answer(route *route, r *request) error {
	if err := r.parse(route.parameters); err != nil {
		return err
	}
	if r.tag = s.knownTag(route, r); r.unchanged(route) {
		return nil
	}
	if len(route.types) == 1 {
		r.out.Header().Set("Content-Type", route.types[0])
	}
	if route.kind == direct {
		return route.answer(s, r)
	}
	if err := r.enter(r.Context(), firstWork[r.kind]); err != nil {
		return err
	}
	defer r.out.leave()
	if name := r.PathValue("name"); name != "" {
		if err := s.open(r, name); err != nil {
			return err
		}
		defer s.library.giveBack(r.book)
		if route.tagged() {
			r.tag = s.tagOf(route, r, r.book.fingerprint()) // the file was not open before
		}
		if r.unchanged(route) {
			return nil
		}
	}
	return route.answer(s, r)
}

// open takes the trace of a question from the library.
func (s *Server) open(r *request, name string) (err error) {
	if r.book, err = s.library.take(name); err != nil {
		return err
	}
	if r.trace, err = report.NewTrace(r.reader(), name); err != nil {
		s.library.giveBack(r.book)
		return err
	}
	r.trace.Name = name
	return nil
}
