package fingerprint

import (
	"context"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Location is a location with the hash of its structure.
type Location struct {
	ID   uint64
	Hash content.Hash
}

// Options of this package. The zero value means the defaults.
type Options struct {
	// Bases are those of the hashes. The default is [content.Random]: hashes can be compared within one process.
	Bases content.Bases
	// Distrust leaves the hashes aside that files have: all are made of the events. Who knows how stored hashes are made can make files
	// that differ and have equal ones.
	Distrust bool
	// Memory is about how many bytes may be kept to be used again: hashes of shapes, and of parts of locations. 0 means 64 MiB.
	Memory int64
	// Progress counts events whose structure was read.
	Progress trace.Progress
}

func (o Options) withDefaults() Options {
	if o.Bases == (content.Bases{}) {
		o.Bases = content.Random()
	}
	if o.Memory == 0 {
		o.Memory = 64 << 20
	}
	return o
}

// Of returns the hashes of the structure of the locations that have events in a window, in the order of definition, made of the events. Of
// the window's filters, only that of locations counts. Values are decoded only in slices that the window cuts. The work ends with the context.
func Of(ctx context.Context, r *store.Reader, w *store.Window, opt Options) ([]Location, error) {
	opt = opt.withDefaults()
	defs, err := r.WithContext(ctx).Definitions()
	if err != nil {
		return nil, err
	}
	sums := map[uint64]content.Hash{}
	progress := counter{report: opt.Progress}
	for p, err := range pieces(r.Info(), w.WithContext(ctx), newHasher(defs, opt)) {
		if err != nil {
			return nil, err
		}
		sums[p.location] = sums[p.location].Then(p.hash)
		progress.add(p.events)
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	var all []Location
	for _, id := range ids {
		if h, ok := sums[id]; ok {
			all = append(all, Location{id, h})
		}
	}
	return all, nil
}
