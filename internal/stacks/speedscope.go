package stacks

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// WriteSpeedscope writes a file with a sampled profile for each column: a stack for each node that has a value. Values below 0 cannot be in
// such a profile: their nodes are left out of it.
//
// Source: https://www.speedscope.app/file-format-schema.json.
func WriteSpeedscope(to io.Writer, t *Tree) error {
	w := bufio.NewWriter(to)
	w.WriteString(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"pando","name":`)
	w.Write(jsonText(t.Title))
	w.WriteString(`,"activeProfileIndex":0,"shared":{"frames":[`)
	for i, f := range t.Frames {
		if i > 0 {
			w.WriteByte(',')
		}
		frame := struct {
			Name string `json:"name"`
			File string `json:"file,omitempty"`
			Line int    `json:"line,omitempty"`
		}{f.Name, f.File, f.Line}
		b, err := json.Marshal(frame)
		if err != nil {
			return err
		}
		w.Write(b)
	}
	w.WriteString(`]},"profiles":[`)
	for c := range t.Columns {
		if c > 0 {
			w.WriteByte(',')
		}
		if err := writeSampled(w, t, c); err != nil {
			return err
		}
	}
	w.WriteString("]}\n")
	return w.Flush()
}

// writeSampled writes the profile of a column.
func writeSampled(w *bufio.Writer, t *Tree, column int) error {
	c := &t.Columns[column]
	unit, total := "none", int64(0)
	if c.Unit == Nanoseconds {
		unit = c.Unit
	}
	for _, v := range c.Values {
		total = plus(total, max(v, 0))
	}
	w.WriteString(`{"type":"sampled","name":`)
	w.Write(jsonText(c.Name))
	w.WriteString(`,"unit":"` + unit + `","startValue":0,"endValue":` + strconv.FormatInt(total, 10) + `,"samples":[`)
	var line []byte
	var stack []int
	comma := ""
	for n, v := range c.Values {
		if v <= 0 {
			continue
		}
		stack = t.stack(stack[:0], n)
		line = append(append(line[:0], comma...), '[')
		for i := len(stack) - 1; i >= 0; i-- {
			line = strconv.AppendInt(line, int64(t.Nodes[stack[i]].Frame), 10)
			if i > 0 {
				line = append(line, ',')
			}
		}
		w.Write(append(line, ']'))
		comma = ","
	}
	w.WriteString(`],"weights":[`)
	comma = ""
	for _, v := range c.Values {
		if v > 0 {
			w.WriteString(comma)
			w.Write(strconv.AppendInt(line[:0], v, 10))
			comma = ","
		}
	}
	_, err := w.WriteString("]}")
	return err
}

// jsonText returns a text as JSON.
func jsonText(s string) []byte {
	b, _ := json.Marshal(s) // texts always can be marshalled
	return b
}
