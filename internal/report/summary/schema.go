package summary

// Schema describes the JSON of summaries as a JSON Schema, with the rows by each thing.
func Schema() map[string]any {
	kinds := []any{}
	for _, by := range Kinds() {
		members, required := map[string]any{}, []string{}
		for _, c := range Columns(by) {
			doc := c.Doc
			if c.Unit != "" {
				doc += " [" + c.Unit + "]"
			}
			var kind any = c.Type
			if c.Null {
				kind = []any{c.Type, "null"}
			}
			members[c.Name] = map[string]any{"type": kind, "description": doc}
			if c.Type == "array" {
				members[c.Name] = map[string]any{"type": kind, "items": map[string]any{"type": "integer"}, "description": doc}
			}
			if c.With == "" {
				required = append(required, c.Name)
			}
		}
		for _, c := range seriesNames {
			members[c.Name] = map[string]any{"type": c.Type, "description": c.Doc + "; in a series"}
		}
		kinds = append(kinds, map[string]any{"title": by, "type": "object", "properties": members, "required": required})
	}
	integer := map[string]any{"type": "integer"}
	return map[string]any{
		"type": "object", "required": []string{"from_ns", "from_ticks", "to_ns", "to_ticks", "ticks_per_second", "by", "rows", "total", "omitted_rows"},
		"properties": map[string]any{
			"from_ns": integer, "from_ticks": integer, "to_ns": integer, "to_ticks": integer, "every_ns": integer, "every_ticks": integer,
			"ticks_per_second": integer, "omitted_rows": integer,
			"loss": map[string]any{"type": "object", "description": "of sums of calls, if times are coarse or calls were left out", "properties": map[string]any{
				"bound_ticks":       map[string]any{"type": "integer", "description": "times, if they are coarse, are within this of the original's: the time of n calls is off by less than twice that for each"},
				"calls_below_ticks": map[string]any{"type": "integer", "description": "calls that took less, and had no events inside, were left out of the trace"},
				"calls_left_out":    map[string]any{"type": "integer", "description": "calls of the original that are in the sums and not in the trace"},
				"exact":             map[string]any{"type": "boolean", "description": "counts, inclusive, exclusive and busy time are those of the original"}}},
			"by":    map[string]any{"type": "string", "enum": Kinds()},
			"rows":  map[string]any{"type": "array", "items": map[string]any{"anyOf": kinds}},
			"total": map[string]any{"type": []any{"object", "null"}, "description": "the values of all rows that add up, of those that are omitted, too"},
		},
	}
}
