package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/pandotrace/pando/format"
)

// Verdict is the outcome of a check of a file.
type Verdict struct {
	// File is the path of the file.
	File string `json:"file"`
	// Sound is true if nothing is wrong.
	Sound bool `json:"sound"`
	// Blocks and Bytes are the numbers of those that were checked.
	Blocks   int64     `json:"blocks"`
	Bytes    int64     `json:"bytes"`
	Problems []Problem `json:"problems"`
}

// Problem is damage in a section of a file. Offset is in bytes, null where it is not known.
type Problem struct {
	Section string `json:"section"`
	Offset  *int64 `json:"offset"`
	Message string `json:"message"`
}

// Add notes an error if it is damage; else it returns the error.
func (v *Verdict) Add(err error) error {
	var c *format.CorruptError
	if !errors.As(err, &c) {
		return err
	}
	v.Problems = append(v.Problems, newProblem(c))
	return nil
}

func newProblem(c *format.CorruptError) Problem {
	p := Problem{Section: c.Section, Message: c.Err.Error()}
	if c.Offset >= 0 {
		p.Offset = &c.Offset
	}
	return p
}

func (v *Verdict) writeText(w io.Writer) {
	if v.Sound {
		fmt.Fprintf(w, "%s: sound, %s in %s\n", Printable(v.File), Size(v.Bytes), Plural(v.Blocks, "block", "blocks"))
		return
	}
	printProblems(w, v.Problems)
}

func printProblems(w io.Writer, problems []Problem) {
	t := newTable([]string{"offset"}, "offset", "section", "problem")
	for _, p := range problems {
		offset := "-"
		if p.Offset != nil {
			offset = Grouped(*p.Offset)
		}
		t.row(offset, p.Section, Printable(p.Message))
	}
	t.write(w)
}
