package read

import (
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/trace"
)

// View says which definitions some work needs.
type View int

const (
	// NoDefinitions are none at all.
	NoDefinitions View = iota - 1
	// Contexts are calling contexts: what calls need.
	Contexts
	// Links are these, and locations, groups and communicators: what messages need.
	Links
	// Everything is all definitions.
	Everything
	views = iota - 1
)

// has reports whether a view has the definitions of a kind.
func (v View) has(kind trace.Kind) bool {
	switch kind {
	case trace.KindCallingContext:
		return v >= Contexts
	case trace.KindLocation, trace.KindGroup, trace.KindComm, trace.KindInterComm:
		return v >= Links
	}
	return v == Everything
}

// Definitions returns the log of definitions and the tables made from it. They are read when first asked for and
// must not be changed.
func (r *File) Definitions() (*trace.Definitions, error) { return r.View(Everything) }

// View returns the tables of some definitions, which are read when first asked for and must not be changed. The log has none but these.
func (r *File) View(v View) (*trace.Definitions, error) {
	if made := r.made(v); made < views {
		v = made
	}
	return r.definitions[v].Get(r.ctx, func() (*trace.Definitions, error) { return r.readDefinitions(v) })
}

func (r *File) readDefinitions(v View) (*trace.Definitions, error) {
	log, err := r.readDefinitionLog(v)
	if err != nil {
		return nil, err
	}
	d := trace.NewDefinitions(log)
	if v >= Links {
		err = r.CheckLocations(d)
	}
	r.cache.Hold(definitionBytes(log))
	return d, err
}

// definitionBytes returns about how much memory definitions and their tables take.
func definitionBytes(log []trace.Record) (n int64) {
	const record, entry = 56, 64
	for i := range log {
		n += int64(record + entry + 16*len(log[i].Words) + 2*len(log[i].Text))
	}
	return n
}

// DefinitionLog returns the log of definitions.
func (r *File) DefinitionLog() ([]trace.Record, error) {
	if !r.definitions[Everything].Made() {
		return r.readDefinitionLog(Everything)
	}
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	return d.Log, nil
}

// readDefinitionLog reads the definitions of a view, in the order of the log.
func (r *File) readDefinitionLog(v View) ([]trace.Record, error) {
	var whole records.Assembly
	var part records.Part
	for refs := r.definitionPages(v); len(refs) > 0; {
		n := r.LoadSome(refs)
		for _, ref := range refs[:n] {
			d, err := r.DefinitionPage(ref)
			switch {
			case err != nil:
			case v == Everything:
				err = whole.Add(d)
			default:
				part.Add(d, v.has)
			}
			if err != nil {
				return nil, format.At(err, r.name, int64(ref.Offset))
			}
		}
		refs = refs[n:]
	}
	if v < Everything {
		return part.Log(), nil
	}
	log, err := whole.Log()
	return log, format.At(err, r.name, r.size-format.FooterSize)
}

// DefinitionPage returns the definitions of a block that the root lists.
func (r *File) DefinitionPage(ref format.Ref) (*records.Definitions, error) {
	b, err := r.Block(format.BlockDefinitions, ref)
	if err != nil {
		return nil, err
	}
	d, err := records.ReadPage(b, r.meta.Kinds)
	if err == nil {
		if listed := r.defines[ref.Offset]; listed == nil || !listed.Equal(&d.Contents) {
			err = format.Corruptf("definitions block", -1, "it has other kinds or ids than the root says")
		}
	}
	return d, err
}

// definesOf returns what the root says of blocks of definitions, by their offsets.
func definesOf(root *index.Root) map[uint64]*records.Contents {
	defines, n := map[uint64]*records.Contents{}, 0
	for i := range root.Entries {
		if e := &root.Entries[i]; e.Kind == format.BlockDefinitions {
			defines[e.Ref.Offset] = &root.Definitions[n]
			n++
		}
	}
	return defines
}

// definitionPages returns the blocks that have definitions of a view.
func (r *File) definitionPages(v View) (refs []format.Ref) {
	for i, ref := range r.Listed(format.BlockDefinitions) {
		if slices.ContainsFunc(r.root.Definitions[i].Kinds, v.has) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// Definitions notes the definitions of a view, unless somebody has asked for them.
func (p *Plan) Definitions(v View) {
	if v == NoDefinitions || p.R.made(v) < views {
		return
	}
	for _, ref := range p.R.definitionPages(v) {
		p.AddRef(ref, cache.Bytes)
	}
}

// made returns the least view with the definitions of v that somebody has asked for, views if there is none.
func (r *File) made(v View) View {
	for v < views && !r.definitions[v].Made() {
		v++
	}
	return v
}
