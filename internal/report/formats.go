package report

import (
	"io"

	"github.com/pandotrace/pando/convert"
)

// Formats is the list of formats that can be read.
type Formats []FormatInfo

// FormatInfo is a format: its name, the main file of a trace, and the features that traces of the format can have.
type FormatInfo struct {
	Name     string   `json:"name"`
	Main     string   `json:"main"`
	Features []string `json:"features"`
}

// NewFormats returns the formats that can be read.
func NewFormats() (list Formats) {
	for _, f := range convert.Formats() {
		e := FormatInfo{Name: f.Name, Main: f.Main, Features: []string{}}
		for _, feature := range convert.Features() {
			if f.Has(feature.Name) {
				e.Features = append(e.Features, feature.Name)
			}
		}
		list = append(list, e)
	}
	return list
}

// writeText writes a table of features by formats.
func (Formats) writeText(w io.Writer) {
	heads := []string{"traces hold"}
	for _, f := range convert.Formats() {
		heads = append(heads, f.Name)
	}
	t := newTable(nil, append(heads, "what it is")...)
	for _, feature := range convert.Features() {
		row := []any{feature.Name}
		for _, f := range convert.Formats() {
			mark := ""
			if f.Has(feature.Name) {
				mark = "yes"
			}
			row = append(row, mark)
		}
		t.row(append(row, feature.Doc)...)
	}
	t.write(w)
}
