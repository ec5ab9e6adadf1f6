package write

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/trace"
)

// AnchorExt is the extension of anchor files.
const AnchorExt = ".otf2"

// Options of Write; zero fields mean the default.
type Options struct {
	// EventChunk and DefinitionChunk are the sizes of chunks in bytes, from 256 KiB to 16 MiB. No record can be longer. The
	// default are those of the archive that the trace came from, else 1 MiB and 4 MiB.
	EventChunk, DefinitionChunk uint64
	// Replace lets the archive take the place of one that is there.
	Replace bool
	// Discard removes the folder NAME.part that a writer that is gone has left.
	Discard bool
	// Progress counts events written, of those that the source says it has. Its last call counts all.
	Progress trace.Progress
	// Accept, if not nil, is called with all warnings before the files get their names. Its error ends the work.
	Accept func([]trace.Warning) error
}

// Archive makes an archive of a trace, see otf2.Write.
func Archive(ctx context.Context, src trace.Source, anchorPath string, opt Options) ([]trace.Warning, error) {
	stem, ok := strings.CutSuffix(anchorPath, AnchorExt)
	if !ok || stem == "" || filepath.Base(anchorPath) == AnchorExt {
		return nil, fmt.Errorf("otf2: %s: the anchor file of an archive is called NAME%s", anchorPath, AnchorExt)
	}
	folder, err := claim.CreateFolder(stem, claim.Options{Discard: opt.Discard})
	if err != nil {
		return nil, err
	}
	old, err := inTheWay(anchorPath, stem, opt.Replace)
	if err != nil {
		return nil, errors.Join(err, folder.Discard())
	}
	w := &archiveWriter{ctx: ctx, src: src, stem: filepath.Join(folder.Part(), filepath.Base(stem)), opt: opt}
	err = w.write()
	warnings := append(append(src.Warnings(), w.warnings.All()...), w.dropped.Warnings(src.Meta().Table())...)
	if err == nil && opt.Accept != nil {
		err = opt.Accept(warnings)
	}
	if err == nil {
		err = removeAll(old)
	}
	if err == nil {
		err = folder.Spread(filepath.Base(anchorPath)) // the anchor comes last: without it nobody takes the others for an archive
	}
	return warnings, errors.Join(err, folder.Discard())
}

// Claimed returns the path NAME of the folder NAME.part that an archive is written into.
func Claimed(anchorPath string) string { return strings.TrimSuffix(anchorPath, AnchorExt) }

// archiveWriter writes an archive into a folder of its own.
type archiveWriter struct {
	ctx      context.Context
	src      trace.Source
	stem     string // path of the anchor without its extension
	opt      Options
	anchor   *form.Anchor
	marks    form.Marks              // of cuts
	marked   bool                    // there are events with such
	native   bool                    // the trace came from an archive: ids and times can be made local again
	locals   map[trace.StreamID]bool // has the streams of local definitions
	window   int                     // bytes of each file to keep in memory
	dropped  Drops
	warnings trace.Warnings
}

// attempt writes the archive. m is nil, or the source with times that are moved.
func (w *archiveWriter) attempt(m *moved) error {
	meta := w.src.Meta()
	if err := checkKinds(meta.Table()); err != nil {
		return err
	}
	w.native = meta.Format == form.FormatName
	w.anchor = anchorOf(meta)
	w.options()
	if err := os.Mkdir(w.stem, 0o777); err != nil {
		return err
	}
	for _, step := range []func() error{w.definitions, w.auxiliary} {
		if err := step(); err != nil {
			return err
		}
	}
	if m != nil {
		w.anchor.Properties = append(w.anchor.Properties, m.origin().Property())
	}
	return os.WriteFile(w.stem+AnchorExt, anchorBytes(w.anchor), 0o666)
}

// definitions writes the definitions and, in between, the events: some formats define things late.
func (w *archiveWriter) definitions() error {
	o := w.newOutput(w.stem+".def", form.DefinitionGrammar, w.anchor.DefChunk)
	before, err := w.src.Definitions(0)
	if err == nil {
		w.marks = form.MarksFor(before)
		err = o.putAll(before)
	}
	if err == nil {
		err = w.events()
	}
	if err == nil {
		err = w.defineLate(o, before)
	}
	if err != nil {
		return err
	}
	w.anchor.Definitions = o.Records
	return o.Close()
}

// defineLate writes the definitions behind those that are written, and those of marks if there are any.
func (w *archiveWriter) defineLate(o *Output, before []trace.Record) error {
	late, err := w.src.Definitions(len(before))
	if err != nil {
		return err
	}
	if w.marked {
		if len(late) > 0 {
			return &trace.SourceError{Format: "otf2", File: o.Path, Problem: "definitions after events, with marks of cuts", Class: form.ErrUnwritable}
		}
		late = w.marks.Definitions
	}
	return o.putAll(late)
}

// putAll appends definitions.
func (o *Output) putAll(defs []trace.Record) error {
	for i := range defs {
		d := &defs[i]
		if err := o.put(&entry{kind: d.Kind, words: d.Words, text: d.Text}); err != nil {
			return err
		}
	}
	return nil
}

// options takes in the options, and how many locations there are.
func (w *archiveWriter) options() {
	if w.opt.EventChunk > 0 {
		w.anchor.EventChunk = w.opt.EventChunk
	}
	if w.opt.DefinitionChunk > 0 {
		w.anchor.DefChunk = w.opt.DefinitionChunk
	}
	w.locals = map[trace.StreamID]bool{}
	streams := w.src.Streams()
	for _, s := range streams {
		if s.Class == trace.StreamLocalDefinitions {
			w.locals[s.StreamID] = true
		}
	}
	w.window = form.WindowFor(len(streams))
}
