package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Output is a format that traces can be written in.
type Output struct {
	// Name is the format's name ("OTF2").
	Name string
	// Main says what the main file is called.
	Main string
	// Unit is what progress is counted in ("events").
	Unit string

	// Extensions are the endings of the names of main files, the usual one first.
	Extensions []string

	// from are the formats that it can be made of; nil means all.
	from  []string
	write func(ctx context.Context, t *Trace, path string, opt WriteOptions) (Written, error)
	// stream writes to a writer; nil if a trace is several files.
	stream func(ctx context.Context, t *Trace, to io.Writer, opt WriteOptions) (Written, error)
	// claimed returns the NAME of which NAME.part is written; nil if that is the main file's.
	claimed func(path string) string
	// parts are the files that belong to a main file besides it, as for a Format.
	parts []string
}

// WriteOptions of [Output.Write].
type WriteOptions struct {
	// By is noted in the history of a Pando file.
	By By
	// Notes are noted of the trace, in Pando files and OTF2 archives, in place of those of the same names, which begin with [trace.NotePrefix].
	Notes []trace.Property
	// Store are the options of Pando files.
	Store store.Options
	// EventChunk and DefinitionChunk are the sizes of chunks of OTF2 archives, in bytes; 0 for those of the original.
	EventChunk, DefinitionChunk uint64
	// Replace lets the output take the place of one that is there.
	Replace bool
	// Discard removes the unfinished output NAME.part that a writer that is gone has left.
	Discard bool
	// Progress counts what is written, in the unit of the output.
	Progress trace.Progress
	// Accept, if not nil, is called with all warnings before anything of the output appears. Its error ends the work.
	Accept func([]trace.Warning) error
}

// Written is what was written.
type Written struct {
	Events    uint64
	Locations int
	// Bytes is the size of all files.
	Bytes int64
	// Warnings are what was found odd, and what the output's format cannot hold.
	Warnings []trace.Warning
	// Info is what a Pando file that was written says of its trace; nil for other outputs.
	Info *store.Info
}

// outputs lists the formats that can be written, our own first.
var outputs = []Output{
	{Name: pandoName, Main: "NAME.pando", Unit: "events", Extensions: []string{".pando"}, write: writePando, stream: streamPando},
	{Name: "OTF2", Main: "NAME.otf2, the anchor file", Unit: "events", Extensions: []string{".otf2"}, write: writeOTF2, claimed: otf2.Claimed,
		parts: []string{".def", ".marker", ".*.thumb", "/*"}},
	{Name: "Chrome", Main: "NAME.json or NAME.json.gz", Unit: "ticks", Extensions: []string{".json", ".json.gz"}, from: []string{pandoName}, write: writeChrome, stream: streamChrome},
}

// Outputs lists the formats that can be written, that of Pando files first.
func Outputs() []Output { return slices.Clone(outputs) }

// OutputAt returns the format that the ending of the name of a main file means, nil if it means none.
func OutputAt(path string) *Output {
	for i := range outputs {
		if slices.ContainsFunc(outputs[i].Extensions, func(ext string) bool { return strings.HasSuffix(path, ext) }) {
			return &outputs[i]
		}
	}
	return nil
}

// OutputNamed returns the format of a name, in which case does not matter; nil if there is none.
func OutputNamed(name string) *Output {
	for i := range outputs {
		if strings.EqualFold(outputs[i].Name, name) {
			return &outputs[i]
		}
	}
	return nil
}

// Streams reports whether the output can be written to a writer: whether a trace is one file.
func (o *Output) Streams() bool { return o.stream != nil }

// Stream writes a trace, which the output takes, to a writer. Its bytes are not counted in what it returns. The output must be one that
// [Output.Streams] is true of.
func (o *Output) Stream(ctx context.Context, t *Trace, to io.Writer, opt WriteOptions) (Written, error) {
	opt.accepting()
	return o.stream(ctx, t, to, opt)
}

// accepting lets a nil Accept accept all.
func (o *WriteOptions) accepting() {
	if o.Accept == nil {
		o.Accept = func([]trace.Warning) error { return nil }
	}
}

// Takes reports whether the output can be made of a trace of a format.
func (o *Output) Takes(format string) bool { return o.from == nil || slices.Contains(o.from, format) }

// Check says early, before anything is read, that Write would fail: another writer is at work on the output, or has left something of it.
func (o *Output) Check(path string, opt WriteOptions) error {
	if o.claimed != nil {
		path = o.claimed(path)
	}
	return claim.Check(path, opt.output())
}

// output says what becomes of files that are there.
func (o *WriteOptions) output() store.OutputOptions {
	return store.OutputOptions{NoReplace: !o.Replace, Discard: o.Discard}
}

// Write writes a trace, which the output takes. After an error nothing of the output is left.
func (o *Output) Write(ctx context.Context, t *Trace, path string, opt WriteOptions) (Written, error) {
	opt.accepting()
	written, err := o.write(ctx, t, path, opt)
	if err != nil {
		return Written{}, err
	}
	written.Bytes = sizeOf(&Format{parts: o.parts}, path)
	return written, nil
}

// copyInto copies a trace into what open makes of its description, and completes that. After an error nothing is left.
func copyInto(ctx context.Context, t *Trace, opt WriteOptions, open func(*trace.Meta) (*store.Writer, error)) (written Written, err error) {
	src, err := t.Open(ctx)
	if err != nil {
		return Written{}, err
	}
	defer src.Close()
	src = noted(continued(src, opt.By.step(t)), opt.Notes)
	w, err := open(src.Meta())
	if err != nil {
		return Written{}, err
	}
	err = store.Copy(ctx, w, src, func(done, total int64) {
		written.Events = uint64(done)
		opt.Progress.Report(done, total)
	})
	if err == nil {
		err = opt.Accept(src.Warnings())
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return Written{}, errors.Join(err, w.Abort())
	}
	written.Locations, written.Warnings = locationsOf(src), src.Warnings()
	return written, nil
}

// locationsOf counts the locations with events of their own.
func locationsOf(src trace.Source) (n int) {
	for _, s := range src.Streams() {
		if s.Class == trace.StreamEvents {
			n++
		}
	}
	return n
}

func writePando(ctx context.Context, t *Trace, path string, opt WriteOptions) (Written, error) {
	opt.Store.Output = opt.output()
	written, err := copyInto(ctx, t, opt, func(m *trace.Meta) (*store.Writer, error) { return store.Create(ctx, path, m, opt.Store) })
	if err != nil {
		return Written{}, err
	}
	r, err := store.Open(ctx, path, store.ReadOptions{})
	if err != nil {
		return Written{}, err
	}
	defer r.Close()
	written.Info = r.Info()
	written.Events, written.Locations = written.Info.Events, int(written.Info.Locations)
	return written, nil
}

func streamPando(ctx context.Context, t *Trace, to io.Writer, opt WriteOptions) (Written, error) {
	return copyInto(ctx, t, opt, func(m *trace.Meta) (*store.Writer, error) { return store.NewWriter(ctx, to, m, opt.Store) })
}

func writeOTF2(ctx context.Context, t *Trace, path string, opt WriteOptions) (Written, error) {
	src, err := t.Open(ctx)
	if err != nil {
		return Written{}, err
	}
	defer src.Close()
	written := Written{Locations: locationsOf(src)}
	progress := func(done, total int64) {
		written.Events = uint64(done)
		opt.Progress.Report(done, total)
	}
	if err := opt.Accept(Unsaid(src.Meta(), "OTF2")); err != nil {
		return Written{}, err
	}
	written.Warnings, err = otf2.Write(ctx, noted(src, opt.Notes), path, otf2.WriteOptions{
		EventChunk: opt.EventChunk, DefinitionChunk: opt.DefinitionChunk, Replace: opt.Replace, Discard: opt.Discard, Progress: progress, Accept: opt.Accept})
	if errors.Is(err, otf2.ErrUnwritable) {
		err = fmt.Errorf("%s: %w", t.Path, err)
	}
	written.Warnings = append(written.Warnings, Unsaid(src.Meta(), "OTF2")...)
	return written, err
}

// Unsaid returns warnings about annotations that a format has no place for.
func Unsaid(m *trace.Meta, format string) []trace.Warning {
	var w trace.Warnings
	for i := range m.Annotations {
		w.Add("annotation left out", "%q: %s has none", m.Annotations[i].Name, format)
	}
	return w.All()
}

// windowCache is the cache of files of which a window is read once, in bytes: hardly anything of it is needed twice.
const windowCache = 64 << 20

func writeChrome(ctx context.Context, t *Trace, path string, opt WriteOptions) (Written, error) {
	return exportChrome(ctx, t, func(r *store.Reader, w *store.Window) error {
		_, err := chrome.Export(ctx, r, w, path, chrome.ExportOptions{Output: opt.output(), Progress: opt.Progress})
		return err
	})
}

func streamChrome(ctx context.Context, t *Trace, to io.Writer, opt WriteOptions) (Written, error) {
	return exportChrome(ctx, t, func(r *store.Reader, w *store.Window) error {
		return chrome.Write(ctx, to, r, w, chrome.ExportOptions{Progress: opt.Progress})
	})
}

// exportChrome lets export write what a trace is of a Pando file.
func exportChrome(ctx context.Context, t *Trace, export func(*store.Reader, *store.Window) error) (Written, error) {
	r, err := store.Open(ctx, t.Path, store.ReadOptions{CacheBytes: windowCache})
	if err != nil {
		return Written{}, err
	}
	defer r.Close()
	w := t.window(r)
	err = export(r, w)
	written := Written{Events: r.Info().Events, Locations: int(r.Info().Locations)}
	written.Warnings = Unsaid(r.Meta(), "the format of trace events")
	if t.cut != nil && err == nil {
		written.Events, err = eventsIn(w)
	}
	return written, err
}

// eventsIn counts the events of a window.
func eventsIn(w *store.Window) (n uint64, err error) {
	for b, err := range w.Batches() {
		if err != nil {
			return 0, err
		}
		n += uint64(b.Len())
	}
	return n, nil
}
