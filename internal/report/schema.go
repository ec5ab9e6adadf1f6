package report

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// Schema describes the JSON of an answer as a JSON Schema: that of a type by its fields, without their comments.
func Schema(answer any) map[string]any { return schemaOf(reflect.TypeOf(answer)) }

func schemaOf(t reflect.Type) map[string]any {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		if t.Kind() == reflect.Slice { // pairs of names and values
			return map[string]any{"type": "object"}
		}
		return map[string]any{"type": "integer"} // of any length
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem())
		if s["type"] != "object" {
			s["type"] = []any{s["type"], "null"}
		}
		return s
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": "integer"}
}

func structSchema(t reflect.Type) map[string]any {
	members, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if f := t.Field(i); f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct { // its members are those of the object
			inside := structSchema(f.Type)
			maps.Copy(members, inside["properties"].(map[string]any))
			required = append(required, inside["required"].([]string)...)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		members[name] = schemaOf(t.Field(i).Type)
		if option != "omitempty" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": members, "required": required}
}
