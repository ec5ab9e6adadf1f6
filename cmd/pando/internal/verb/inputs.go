package verb

import (
	"errors"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// Inputs are open files, and the selected window of each.
type Inputs struct {
	Traces  []*report.Trace
	Windows []*store.Window
}

// Open opens a further file.
func (in *Inputs) Open(s *Selection, path string) error {
	f, w, err := s.Open(path)
	if err == nil {
		in.Traces, in.Windows = append(in.Traces, f), append(in.Windows, w)
	}
	return err
}

// Events is the number of events of all files.
func (in *Inputs) Events() (n int64) {
	for _, f := range in.Traces {
		n += int64(f.Info().Events)
	}
	return n
}

// Close closes all files.
func (in *Inputs) Close() (err error) {
	for _, f := range in.Traces {
		err = errors.Join(err, f.Close())
	}
	return err
}
