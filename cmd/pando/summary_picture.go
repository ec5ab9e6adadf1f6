package main

import (
	"bufio"
	"cmp"
	"io"
	"path/filepath"
	"slices"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/store"
)

// seriesWidth is the width of a picture of a series, in pixels.
const seriesWidth = 1200

// isPicture reports whether the answer is a picture of a matrix or a series. The picture of a call tree is one of the formats of stacks.
func (v *summaryVerb) isPicture() bool {
	return v.Chosen.Name == verb.PNGFormat.Name || v.Chosen.Name == verb.SVGFormat.Name && v.by != summary.ByCallPath
}

// checkPicture finds fault with the flags of a picture.
func (v *summaryVerb) checkPicture(out io.Writer) error {
	switch {
	case !v.isPicture():
		return nil
	case v.by != "matrix" && v.every == "":
		return verb.Usagef("there are pictures of --by matrix, and of a series: --every 1%%; --by callpath has a flame graph as SVG")
	case v.measure != "" && !slices.Contains(report.Measures(), report.Measure(v.measure)):
		return verb.Usagef("--measure %s: a matrix shows count, bytes, time or latency", v.measure)
	case v.measure != "" && v.by != "matrix":
		return verb.Usagef("--measure %s: only a matrix has a measure", v.measure)
	}
	return v.CheckShown(out)
}

// draw draws the summary.
func (v *summaryVerb) draw(to *bufio.Writer, f *report.Trace, window *store.Window, opt *summary.Options) error {
	p, width, err := v.picture(f, window, opt)
	if err != nil {
		return err
	}
	return v.Chosen.Draw(to, p, width)
}

// picture returns the picture of a series, or of a matrix, with its width.
func (v *summaryVerb) picture(f *report.Trace, window *store.Window, opt *summary.Options) (outputs.Picture, int, error) {
	title := filepath.Base(f.Path)
	if v.every == "" {
		measure := cmp.Or(opt.Measure, report.MeasureBytes)
		m, err := report.NewMatrix(f, window, v.times || measure.Timed())
		if err != nil {
			return nil, 0, err
		}
		p := m.Picture(measure)
		p.Title = title
		return p, verb.MatrixWidth, nil
	}
	s, err := summary.New(f, window, *opt)
	if err != nil {
		return nil, 0, err
	}
	p, err := s.Picture()
	if err == nil {
		p.Title = title
	}
	return p, seriesWidth, err
}
