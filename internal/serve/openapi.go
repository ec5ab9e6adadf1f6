package serve

import (
	"regexp"
	"slices"
)

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

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
			"description": "Event traces of parallel programs: tables, summaries and pictures of any window of time. Everything is read-only.",
		},
		"paths": paths,
		"components": object{
			"schemas": object{"Error": object{
				"type": "object", "required": []string{"error"}, "properties": object{"error": object{"type": "string"}},
			}},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	}
	if token {
		d["security"] = []object{{"token": []string{}}}
	}
	return d
}

func operation(r *route) object {
	var parameters []object
	for _, m := range pathParameter.FindAllStringSubmatch(r.path, -1) {
		parameters = append(parameters, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.parameters {
		schema := object{"type": "string"}
		if slices.Contains([]string{"location", "region", "part"}, p.name) {
			schema = object{"type": "array", "items": schema}
		}
		if slices.Contains([]string{"width", "pixels", "max_rows"}, p.name) {
			schema = object{"type": "integer", "minimum": 1}
		}
		parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.doc, "schema": schema})
	}
	content := object{}
	for _, t := range r.types {
		content[t] = object{}
	}
	failed := object{"description": "what went wrong", "content": object{jsonType: object{"schema": object{"$ref": "#/components/schemas/Error"}}}}
	o := object{"summary": r.doc, "responses": object{"200": object{"description": "the answer", "content": content}, "default": failed}}
	if parameters != nil {
		o["parameters"] = parameters
	}
	return o
}
