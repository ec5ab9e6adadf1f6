package clog2

import (
	"fmt"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options struct {
	// Lenient lets logs be opened that were never finished or are cut off: they end where they end, with a warning.
	Lenient bool
}

// source is embedded under a name that is not exported.
type source = mpe.Source

// Archive is the log of a run: a finished file, or the files of its processes. It implements trace.Source. The properties named "clog2."
// in its Meta are those of the first file's preamble.
type Archive struct {
	source
	files     []*file
	meta      *trace.Meta
	log       mpe.Log
	comms     *communicators
	places    []mpe.Location
	ids       eventIDs
	registry  *registry
	events    []event // by the number of the id, if that occurs
	locations []location
	nesting   *mpe.Nesting
	between   map[mpe.Sides]bool // groups that messages go between
	cache     cache
	warnings  trace.Warnings
	unordered trace.Warnings // of times
}

// Open opens a finished file, or the files that the processes of one run left, in any order. It reads all of them.
func Open(opt Options, paths ...string) (*Archive, error) {
	a := &Archive{}
	for _, path := range paths {
		f, err := openFile(path, opt.Lenient, &a.warnings)
		if err != nil {
			return nil, err
		}
		a.files = append(a.files, f)
	}
	if len(a.files) == 0 {
		return nil, fmt.Errorf("clog2: no files: %w", trace.ErrMissing)
	}
	return a, a.read()
}

// read finds out all about the trace but its records.
func (a *Archive) read() error {
	a.comms, a.between = newCommunicators(), map[mpe.Sides]bool{}
	for i, f := range a.files {
		f.slot, f.ids = i, &a.ids
		if err := scan(f, &a.cache); err != nil {
			return err
		}
	}
	if err := a.comms.arrange(a.files); err != nil {
		return err
	}
	a.resolve()
	a.defineEvents()
	if err := a.survey(); err != nil {
		return err
	}
	for _, s := range a.comms.Connect(a.between, a.places) {
		a.warnings.Add("unknown intercommunicator", "between communicators %d and %d", s.A, s.B)
	}
	a.define()
	a.source = mpe.NewSource("clog2", a.files[0].path, a.meta, &a.log, mpe.Contents{
		Locations: len(a.locations),
		Location:  func(i int) (*mpe.Location, *mpe.SecondsClock) { return a.locations[i].Location, a.locations[i].clock },
		Events:    func(i int) trace.Stream { return a.stream(i) },
	})
	return nil
}

// defineEvents takes in what is said of states and solo events.
func (a *Archive) defineEvents() {
	a.registry = newRegistry(a.files[0].preamble)
	for _, f := range a.files {
		for i := range f.defs {
			a.registry.define(&f.defs[i], &a.warnings)
		}
	}
	mpe.DefineAttributes(&a.log)
	next := uint64(mpe.FirstCargoAttr)
	for _, c := range a.registry.list() {
		labels, letters := mpe.SplitFormat(c.format)
		c.layout, next = mpe.NewLayout(&a.log, labels, letters, next)
	}
	a.events = make([]event, nearIDs+len(a.ids.list))
	for _, id := range a.ids.all() {
		a.events[a.ids.number(id)] = a.registry.event(id)
	}
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning { return append(a.warnings.All(), a.unordered.All()...) }

var _ trace.Source = (*Archive)(nil)
