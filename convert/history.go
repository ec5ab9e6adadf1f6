package convert

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// By tells who converts a trace, for its history; see [trace.Conversion].
type By struct{ Program, Options, Note string }

// step is the conversion of traces. What it says depends on their files alone, so that the same files give the same history again.
func (b By) step(traces ...*Trace) trace.Conversion {
	s := trace.Conversion{Program: b.Program, Options: b.Options, Note: b.Note}
	for _, t := range traces {
		if len(t.origins) > 0 {
			s.Files = append(s.Files, b.step(t.origins...).Files...)
			continue
		}
		if t.packed != "" {
			s.Files = append(s.Files, filesLike(filepath.Base(t.packed), []string{t.packed})...)
		}
		s.Files = append(s.Files, filesOf(t.format, t.Path)...)
	}
	return s
}

// filesOf lists the files of a trace: main files one by one, others by the patterns of their names.
func filesOf(f *Format, path string) (list []trace.Files) {
	mains := []string{path}
	if f.joins != nil {
		mains, _ = joined(path, f.joins)
	}
	for _, main := range mains {
		list = append(list, filesLike(filepath.Base(main), []string{main})...)
	}
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, pattern := range f.parts {
		list = append(list, filesLike(filepath.Base(stem)+pattern, partsOf(stem, pattern))...)
	}
	return list
}

// filesLike sums up the files at some paths. What cannot be read is not there.
func filesLike(name string, paths []string) []trace.Files {
	f := trace.Files{Name: name}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		at := info.ModTime().Unix()
		if f.Count == 0 {
			f.Oldest, f.Newest = at, at
		}
		f.Count++
		f.Bytes += uint64(info.Size())
		f.Oldest, f.Newest = min(f.Oldest, at), max(f.Newest, at)
	}
	if f.Count == 0 {
		return nil
	}
	return []trace.Files{f}
}

// withHistory is a source with another history, or other notes.
type withHistory struct {
	trace.Source
	meta trace.Meta
}

// continued returns the source with a step added to its history.
func continued(src trace.Source, s trace.Conversion) trace.Source {
	c := &withHistory{Source: src, meta: *src.Meta()}
	c.meta.History = append(c.meta.History[:len(c.meta.History):len(c.meta.History)], s)
	return c
}

// noted returns the source with notes: properties that take the place of those of the same names.
func noted(src trace.Source, notes []trace.Property) trace.Source {
	c := &withHistory{Source: src, meta: *src.Meta()}
	old := func(p trace.Property) bool {
		return slices.ContainsFunc(notes, func(n trace.Property) bool { return n.Name == p.Name })
	}
	c.meta.Properties = append(slices.DeleteFunc(slices.Clone(c.meta.Properties), old), notes...)
	return c
}

// Meta implements trace.Source.
func (s *withHistory) Meta() *trace.Meta { return &s.meta }

// DefinitionsPart implements trace.PartialDefiner.
func (s *withHistory) DefinitionsPart(from, max int) ([]trace.Record, error) {
	return trace.DefinitionsPart(s.Source, from, max)
}

// Deviations implements trace.Deviant.
func (s *withHistory) Deviations() ([]trace.CallDeviation, bool) { return trace.DeviationsOf(s.Source) }
