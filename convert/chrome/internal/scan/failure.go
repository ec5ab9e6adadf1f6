package scan

import (
	"bytes"
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Failure returns an error at the begin of the text at hand.
func (in *Input) Failure(class error, format string, args ...any) error {
	return &trace.SourceError{Format: "chrome", File: in.Path, Line: in.Lines + 1, Offset: in.base + int64(in.at), Problem: fmt.Sprintf(format, args...), Class: class}
}

// syntax returns the error of text that is no JSON, i bytes behind the begin of the text at hand.
func (in *Input) syntax(i int, cause error) error {
	i = min(i, len(in.rest()))
	return &trace.SourceError{
		Format: "chrome",
		File:   in.Path, Line: in.Lines + 1 + int64(bytes.Count(in.rest()[:i], []byte{'\n'})), Offset: in.base + int64(in.at+i),
		Problem: cause.Error(), Class: trace.ErrCorrupt,
	}
}
