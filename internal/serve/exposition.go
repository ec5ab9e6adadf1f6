package serve

import (
	"io"
	"strconv"
	"strings"
)

// exposition is a text in the format of Prometheus, version 0.0.4: families of samples, each with its help and type before it.
type exposition struct {
	text []byte
	name string // of the family
}

// expose writes the state of the server.
func (s *Server) expose(w io.Writer) error {
	e := &exposition{}
	s.build(e)
	s.requests(e)
	s.kinds(e)
	s.resources(e)
	_, err := w.Write(e.text)
	return err
}

// family begins a family.
func (e *exposition) family(name, typ, help string) {
	e.name = name
	e.text = append(e.text, "# HELP "+name+" "+strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)+"\n# TYPE "+name+" "+typ+"\n"...)
}

// sample writes a sample of the family with names and values of labels. The suffix is that of histograms.
func (e *exposition) sample(suffix string, value float64, labels ...string) {
	e.text = append(append(e.text, e.name...), suffix...)
	before := byte('{')
	for i := 0; i < len(labels); i += 2 {
		e.text = append(append(append(e.text, before), labels[i]...), `="`...)
		e.text = append(e.text, strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(labels[i+1])...)
		e.text = append(e.text, '"')
		before = ','
	}
	if len(labels) > 0 {
		e.text = append(e.text, '}')
	}
	e.text = append(strconv.AppendFloat(append(e.text, ' '), value, 'f', -1, 64), '\n')
}

// one writes a family of one sample.
func (e *exposition) one(name, help string, value float64) {
	e.family(name, typeOf(name), help)
	e.sample("", value)
}

// typeOf returns the type of a metric by its name, as Prometheus has it: what is counted in total only grows.
func typeOf(name string) string {
	if strings.HasSuffix(name, "_total") {
		return "counter"
	}
	return "gauge"
}
