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
	// Memory is about how many bytes the hashes of shapes may take that are kept to be used again. 0 means 64 MiB.
	Memory int64
	// Progress counts events.
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

// Of returns the hashes of the structure of the locations that have events in a window, in the order of definition. Of the window's
// filters, only that of locations counts. Values are decoded only in slices that the window cuts. The work ends with the context.
func Of(ctx context.Context, r *store.Reader, w *store.Window, opt Options) ([]Location, error) {
	opt = opt.withDefaults()
	defs, err := r.WithContext(ctx).Definitions()
	if err != nil {
		return nil, err
	}
	sums := map[uint64]content.Hash{}
	done := int64(0)
	err = follow(r.Info(), w.WithContext(ctx), newHasher(defs, opt), func(p *piece) error {
		sums[p.location] = sums[p.location].Then(p.hash)
		done += int64(p.events)
		opt.Progress.Report(done, 0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []Location
	for _, id := range r.Info().LocationIDs() {
		if h, ok := sums[id]; ok {
			all = append(all, Location{id, h})
		}
	}
	return all, nil
}
