package serve

import (
	"regexp"
	"sync"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/clusters"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/folding"
	"github.com/pandotrace/pando/internal/report/hotspots"
	"github.com/pandotrace/pando/internal/report/merged"
	"github.com/pandotrace/pando/internal/report/patterns"
	"github.com/pandotrace/pando/internal/report/shapes"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/internal/report/waits"
	"github.com/pandotrace/pando/internal/serve/tiles"
)

// pathParameter matches a parameter in a path.
var pathParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(\w+)\}`) })

// object is an object of the OpenAPI document.
type object = map[string]any

// describe sends the OpenAPI document, which is made of the table of routes.
func (s *Server) describe(r *request) error { return r.json(openAPI(s.options.Token != "")) }

func openAPI(token bool) object {
	paths := object{}
	for i := range routes {
		paths[routes[i].path] = object{"get": operation(&routes[i])}
	}
	d := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Pando", "version": "1", "license": object{"name": "Apache 2.0"},
			"description": "Event traces of parallel programs: tables, summaries and pictures of any window of time. Everything is read-only. " +
				"Each path answers HEAD and OPTIONS, too. Text and Arrow are compressed by gzip or zstd for clients that accept it.",
		},
		"paths": paths,
		"components": object{
			"schemas": object{
				"Error":      object{"type": "object", "required": []string{"error"}, "properties": object{"error": object{"type": "string"}}},
				"Info":       report.Schema(report.Info{}),
				"Summary":    summary.Schema(),
				"Timeline":   report.Schema(report.Timeline{}),
				"Comparison": report.Schema(comparison.Report{}),
				"Clusters":   report.Schema(clusters.Report{}),
				"Lattice":    report.Schema(clusters.LatticeReport{}),
				"CallTree":   report.Schema(merged.Report{}),
				"Folded":     report.Schema(folding.Answer{}),
				"Hotspots":   report.Schema(hotspots.Report{}),
				"Waits":      report.Schema(waits.Report{}),
				"Path":       report.Schema(waits.Path{}),
				"Patterns":   report.Schema(patterns.Report{}),
				"Shapes":     report.Schema(shapes.Report{}),
				"Rows":       report.Schema(tiles.Rows{}),
				"Lines":      report.Schema(tiles.Lines{}),
				"Curves":     report.Schema(tiles.Curves{}),
			},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	}
	if token {
		d["security"] = []object{{"token": []string{}}}
		paths[healthPath].(object)["get"].(object)["security"] = []object{}
	}
	return d
}

// schemas are the names of the schemas of answers, by the path of their route.
var schemas = map[string]string{
	"/v1/traces/{name}": "Info", "/v1/traces/{name}/summary": "Summary", "/v1/traces/{name}/timeline.json": "Timeline", "/v1/traces/{name}/compare/{with}": "Comparison",
	"/v1/traces/{name}/cluster": "Clusters", "/v1/traces/{name}/lattice": "Lattice", "/v1/traces/{name}/tree": "CallTree", "/v1/traces/{name}/fold": "Folded",
	"/v1/traces/{name}/hotspots": "Hotspots", "/v1/traces/{name}/waits": "Waits", "/v1/traces/{name}/critical-path": "Path",
	"/v1/traces/{name}/patterns": "Patterns", "/v1/traces/{name}/shapes": "Shapes", "/v1/traces/{name}/rows": "Rows", "/v1/traces/{name}/lines": "Lines", "/v1/traces/{name}/counters": "Curves",
}

// failures are the meanings of the statuses of failed requests.
var failures = map[string]string{
	"400":     "a parameter is wrong, or the request cannot be read",
	"401":     "the token is missing or wrong",
	"403":     "a page of another site asks, or without a token somebody who is not on this machine",
	"404":     "there is no such path, trace or table",
	"405":     "only GET, HEAD and OPTIONS are possible",
	"413":     "the answer would be more than the server gives",
	"429":     "other requests of this client are the reason to refuse this one; nothing was done",
	"503":     "the server has too much to do; nothing was done",
	"504":     "the answer took too long",
	"default": "what went wrong",
}

func operation(r *route) object {
	var parameters []object
	for _, m := range pathParameter().FindAllStringSubmatch(r.path, -1) {
		parameters = append(parameters, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.parameters {
		parameters = append(parameters, queryParameter(p))
	}
	o := object{"summary": r.doc, "responses": responses(r)}
	if parameters != nil {
		o["parameters"] = parameters
	}
	return o
}

// queryParameter describes a parameter of a query.
func queryParameter(p parameter) object {
	o := object{"name": p.name, "in": "query", "description": p.doc, "schema": object{"type": "string"}}
	switch p.name {
	case "region", "location":
		if p != regionParameter && p != windowParameters[2] { // the name of one
			break
		}
		fallthrough
	case "through", "rename", "counter":
		o["schema"] = object{"type": "array", "items": object{"type": "string"}}
	case "columns":
		o["schema"] = object{"type": "array", "items": object{"type": "string"}}
		o["explode"] = false // with commas between them
	case "width", "pixels", "max_rows", "limit", "depth", "finer", "few":
		o["schema"] = object{"type": "integer", "minimum": 1}
	case "lane", "group":
		o["schema"] = object{"type": "array", "items": object{"type": "integer", "minimum": 0}}
		o["explode"] = false
	case "level", "metric", "member", "unusual":
		o["schema"] = object{"type": "integer", "minimum": 0}
	}
	return o
}

// responses describes the answers of a route, by status.
func responses(r *route) object {
	content := object{}
	for _, t := range r.types {
		content[t] = object{}
		if name := schemas[r.path]; name != "" && t == jsonType {
			content[t] = object{"schema": object{"$ref": "#/components/schemas/" + name}}
		}
	}
	answer := object{"description": "the answer", "content": content}
	list := object{"200": answer}
	headers := object{}
	if r.tagged() {
		headers["ETag"] = header("names the answer; If-None-Match with it is 304 while the file is the same", "string")
		list["304"] = object{"description": "the answer is the one that the client has (If-None-Match)"}
	}
	if r.hasParameter("columns") && r.hasParameter("max_rows") {
		headers[moreRows] = header("with limit: whether there are further rows; behind the body where its length is not announced", "boolean")
	}
	if len(headers) > 0 {
		answer["headers"] = headers
	}
	for status, why := range failures {
		failed := object{"description": why, "content": object{jsonType: object{"schema": object{"$ref": "#/components/schemas/Error"}}}}
		switch status {
		case "429", "503":
			failed["headers"] = object{"Retry-After": header("seconds", "integer")}
		case "405":
			failed["headers"] = object{"Allow": header("the methods that are possible", "string")}
		}
		list[status] = failed
	}
	return list
}

func header(doc, typ string) object {
	return object{"description": doc, "schema": object{"type": typ}}
}
