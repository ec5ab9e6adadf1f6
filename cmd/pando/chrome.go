package main

import (
	"context"
	"io"
	"strings"

	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// chromeFormat is what --to calls trace events, the JSON that Perfetto and Chrome's viewer open.
const chromeFormat = "chrome"

// isChromeName reports whether a file to be written is one of trace events, by its name.
func isChromeName(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz")
}

// writeTraceEvents writes a window of a file as trace events.
func (v *exportVerb) writeTraceEvents(ctx context.Context, f *report.Trace, w *store.Window) (s report.TraceEvents, err error) {
	from, to := w.Bounds()
	bar := newProgress("writing", "ticks", to-from)
	defer bar.done()
	s = report.TraceEvents{Input: f.Path, Output: v.out}
	s.Bytes, err = chrome.Export(ctx, f.Reader, w, v.out, chrome.ExportOptions{Progress: bar.report, Output: store.OutputOptions{Discard: v.discard}})
	return s, err
}

// runChrome exports a window as trace events.
func (v *exportVerb) runChrome(out io.Writer, path string) error {
	f, w, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return v.traceEvents(out, f, w)
}

func (v *exportVerb) traceEvents(out io.Writer, f *report.Trace, w *store.Window) error {
	ctx, stop := interruptible()
	defer stop()
	s, err := v.writeTraceEvents(ctx, f, w)
	if err != nil {
		return err
	}
	return write(out, &s, v.json)
}
