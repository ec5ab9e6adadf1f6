package serve

import (
	"context"
	"net/http"

	"github.com/pandotrace/pando/internal/report"
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

// parameter is a parameter of a route's query.
type parameter struct{ name, doc string }

var (
	windowParameters = []parameter{
		{"from", "begin of the window, since the trace's first event: 1.5s, 20ms, 3us, 250ns, 40%, or a number of ticks"},
		{"to", "end of the window; +20ms is so much after its begin"},
		{"location", "only this location: its id, its name, the name of its process, or a pattern with * and ?; may be repeated"},
	}
	regionParameter = parameter{"region", "only calls of this region: id, name or pattern; may be repeated"}
	widthParameter  = parameter{"width", "pixels of the picture from left to right (default 1600)"}
)

// description is the route of the OpenAPI document. It is not in the list of routes, because the document is made from that list.
var description = route{"/v1/openapi.json", small, "This description.", nil, []string{jsonType}, (*Server).describe}

// routes are all other routes.
var routes = []route{
	{"/v1/traces", small, "The traces, by name.", nil, []string{jsonType}, (*Server).listTraces},
	{"/v1/traces/{name}", small, "What is in a trace: numbers of everything, times, properties.", nil, []string{jsonType}, (*Server).info},
	{"/v1/traces/{name}/file", ranges, "The file itself; parts of it by Range, so that it can be opened by its URL.", nil, []string{"application/octet-stream"}, (*Server).file},
	{"/v1/traces/{name}/definitions", small, "All tables of definitions: an object with an array of rows for each.", nil, []string{jsonType}, (*Server).definitions},
	{"/v1/traces/{name}/tables", small, "The tables and their columns, with units.", nil, []string{jsonType}, (*Server).listTables},
	{
		"/v1/traces/{name}/tables/{table}", small, "A table, or a window of it.",
		join(windowParameters, regionParameter, parameter{"format", "json (default), arrow (an IPC stream), arrow-file, parquet or csv"},
			parameter{"max_rows", "refuse to answer with more rows than this"}),
		[]string{jsonType, "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.file", "application/vnd.apache.parquet", "text/csv"},
		(*Server).table,
	},
	{
		"/v1/traces/{name}/summary", small, "What a window adds up to, exactly: calls by region, location or process, messages by pair, collective operations, counters.",
		summaryParameters, []string{jsonType, "text/csv"}, (*Server).summary,
	},
	{"/v1/traces/{name}/timeline.png", small, "A picture of what the locations did.", join(windowParameters, regionParameter, widthParameter), []string{"image/png"}, (*Server).timelinePNG},
	{"/v1/traces/{name}/timeline.svg", small, "The same as SVG.", join(windowParameters, regionParameter, widthParameter), []string{"image/svg+xml"}, (*Server).timelineSVG},
	{
		"/v1/traces/{name}/timeline.json", small, "The data of the picture: for each location and pixel the ticks of each region.",
		join(windowParameters, regionParameter, parameter{"pixels", "parts that the window is divided into (default 1000)"}), []string{jsonType}, (*Server).timelineJSON,
	},
}

const jsonType = "application/json"

func join(list []parameter, more ...parameter) []parameter {
	return append(list[:len(list):len(list)], more...)
}

// request is a question that is being answered.
type request struct {
	*http.Request
	out   *patient
	gates *[kinds]*gate
	kind  kind
	book  *book // the trace of the question; nil for questions about none
	trace *report.Trace
	query map[string][]string
}

// reader returns the trace's reader. Its work ends with the request.
func (r *request) reader() *store.Reader { return r.book.reader.WithContext(r.Context()) }

// answering makes a handler of a route.
func (s *Server) answering(route *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := w.(*patient) // the guard is before the mux
		ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
		defer cancel()
		p.ctx = ctx
		if err := s.answer(route, &request{Request: r.WithContext(ctx), out: p, gates: &s.gates, kind: route.kind}); err != nil {
			fail(p, err)
		}
	})
}

func (s *Server) answer(route *route, r *request) error {
	if err := r.parse(route.parameters); err != nil {
		return err
	}
	err := r.enter(r.Context(), firstWork[r.kind])
	if err != nil {
		return err
	}
	defer r.out.leave()
	if name := r.PathValue("name"); name != "" {
		if r.book, err = s.library.take(name); err != nil {
			return err
		}
		defer s.library.giveBack(r.book)
		if r.trace, err = report.NewTrace(r.reader(), name); err != nil {
			return err
		}
		r.trace.Name = name
	}
	if len(route.types) == 1 {
		r.out.Header().Set("Content-Type", route.types[0])
	}
	return route.answer(s, r)
}
