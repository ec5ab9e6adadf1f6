package verb

import (
	"slices"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/stacks"
)

// The formats of answers.
var (
	TextFormat = outputs.Format{Name: "text", Endings: []string{".txt"}}
	JSONFormat = outputs.Format{Name: "json", Endings: []string{".json", ".jsonl", ".ndjson"}}
	CSVFormat  = outputs.Format{Name: "csv", Endings: []string{".csv"}}
	PNGFormat  = outputs.Format{Name: "png", Endings: []string{".png"}, Binary: true}
	SVGFormat  = outputs.Format{Name: "svg", Endings: []string{".svg"}}
)

// AnswerFormats are the formats of answers by name.
var AnswerFormats = map[string]report.Format{"text": report.Text, "json": report.JSON, "csv": report.CSV}

// StackFormats are the formats of call trees that other programs read.
func StackFormats() (list []outputs.Format) {
	for _, f := range stacks.Formats() {
		list = append(list, outputs.Format{Name: f.Name, Endings: []string{f.Suffix}, Binary: f.Binary})
	}
	return list
}

// UsualPicture is the width of a picture without the flag --width, in pixels.
const UsualPicture = 1600

// MatrixWidth is the width of a picture of a matrix, in pixels.
const MatrixWidth = 1000

// TablesOnly are the formats of tables that no other answer has.
var TablesOnly = slices.DeleteFunc(outputs.Tables(), func(f outputs.Format) bool { return f.Name == JSONFormat.Name })
