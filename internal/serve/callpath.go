package serve

import (
	"io"

	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/internal/stacks"
)

// callPaths reads the parameters of call paths.
func (r *request) callPaths(opt *summary.PathOptions) error {
	depth, err := r.number("depth", 0, 1, 1<<31)
	if err != nil {
		return err
	}
	share, err := r.asked().Share("min_share")
	if err != nil {
		return err
	}
	if text, _ := r.text("min_share"); text != "" {
		opt.MinShare = &share
	}
	opt.Depth, opt.Memory = int(depth), callPathMemory
	return nil
}

// stackFormat returns what writes a summary by call path in a format of package stacks, and its media type.
func stackFormat(name string) (write func(*summary.Summary, io.Writer) error, media string, err error) {
	f, ok := stacks.FormatNamed(name)
	if !ok {
		return nil, "", bad("format=%s: call paths can be json, csv, folded, pprof, speedscope, hatchet or svg", name)
	}
	return func(s *summary.Summary, to io.Writer) error {
		tree, _ := s.Stacks()
		return f.Write(to, tree)
	}, f.Media, nil
}
