package vectors

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/trace"
)

// denseFault is a change of a Dense that makes it claim more than its bytes can hold.
type denseFault struct {
	name, class string
	change      func(d *Dense) error
}

var denseFaults = []denseFault{
	{"calls-of-2-to-the-61-events", "content", func(d *Dense) error {
		id := d.Doubled(60)
		d.Page()
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"tokens-of-other-events", "content", func(d *Dense) error {
		id := d.Doubled(2)
		d.Page()
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"exception-that-lies-in-a-bin", "content", func(d *Dense) error {
		id := d.Doubled(1)
		d.Page()
		d.times = make([]int64, 4)
		d.events(4, shape.Token{Shape: id, Count: 1})
		i := slices.IndexFunc(d.Blocks, func(b damage.Block) bool { return b.Kind == format.BlockSlice })
		values := d.Blocks[i].Payload // ends with the number of exceptions: all differences are 0 and take no bits
		d.set(format.BlockSlice, append(slices.Clone(values[:len(values)-1]), page(1, 0, 0)...))
		return nil
	}},
	{"calls-of-events-beyond-counting", "content", func(d *Dense) error {
		id := d.Doubled(80)
		d.Page()
		d.events(4, shape.Token{Shape: id, Count: 1<<32 - 1})
		return nil
	}},
	{"code-that-no-value-has", "content", func(d *Dense) error {
		id := d.Doubled(1)
		d.Page()
		d.residual = 1 << 61
		d.predictions = []predict.Prediction{{Source: predict.FromBefore, Unit: 4}} // 2^61 units are too many
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"code-beside-its-lattice", "content", func(d *Dense) error {
		id := d.Doubled(1)
		d.Page()
		d.residual = math.MinInt64 // has the code 2^64 - 1, a departure of 0 from the lattice
		d.predictions = []predict.Prediction{{Source: predict.FromBefore, Period: 1 << 42}}
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"period-of-no-lattice", "content", func(d *Dense) error {
		id := d.Doubled(1)
		d.Page()
		d.residual = 1
		d.predictions = []predict.Prediction{{Source: predict.FromNothing, Period: 1 << 42}}
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"prediction-from-another-group", "content", func(d *Dense) error {
		task, err := d.leaf(trace.KindOmpTaskCreate) // has a column of group 3
		if err != nil {
			return err
		}
		request, err := d.leaf(trace.KindMpiIrecvRequest) // of group 1
		if err != nil {
			return err
		}
		id := d.Doubled(1)
		d.Page()
		d.predictions = []predict.Prediction{{Column: request, Source: predict.FromColumn, Rate: 1, Other: task, Unit: 1}}
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"residual-of-no-event", "content", func(d *Dense) error {
		id := d.Doubled(1)
		d.Page()
		d.residual, d.stray = 1, true
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"roster-that-ends-without-shares", "content", func(d *Dense) error {
		id := d.Doubled(1)
		d.Page()
		d.after = true
		d.events(4, shape.Token{Shape: id, Count: 1})
		return nil
	}},
	{"roster-of-many-events", "content", func(d *Dense) error {
		id := d.Doubled(30)
		d.Page()
		d.events(1<<31-2, shape.Token{Shape: id, Count: 1})
		return d.listed(1<<31 - 2)
	}},
	{"page-of-nothing", "content", func(d *Dense) error {
		d.set(format.BlockDictionary, ofGroup([]byte{0, 0xe0})) // begins with shape 0; three numbers that are 0
		return nil
	}},
	{"page-of-too-many-things", "content", func(d *Dense) error {
		d.Doubled(200)
		page := d.Page()
		d.set(format.BlockDictionary, ofGroup(slices.Clip(page)[:len(page)-1]))
		return nil
	}},
	{"page-filled-with-ones", "content", func(d *Dense) error {
		d.Doubled(200)
		page := d.Page()
		page[len(page)-1] = 1
		d.set(format.BlockDictionary, ofGroup(page))
		return nil
	}},
	{"page-filled-too-far", "content", func(d *Dense) error {
		d.Doubled(200)
		d.set(format.BlockDictionary, ofGroup(append(d.Page(), 0)))
		return nil
	}},
	{"slice-of-fewer-events-than-its-blocks", "content", func(d *Dense) error { return d.listed(3) }},
	{"slice-without-events", "content", func(d *Dense) error { return d.listed(0) }},
	{"page-without-definitions", "content", func(d *Dense) error {
		d.set(format.BlockDefinitions, []byte{0, 0})
		return nil
	}},
	{"texts-of-more-than-their-bytes", "content", func(d *Dense) error {
		var log records.Log
		name := strings.Repeat("x", 255)
		for i := range uint64(100) {
			log.Add(trace.Standard.Spec(trace.KindString), &trace.Record{Kind: trace.KindString, Words: []uint64{i, uint64(len(name))}, Text: []byte(name)})
		}
		filled := log.Pages(0)[0].Bytes
		d.set(format.BlockDefinitions, filled[:len(filled)-1])
		return nil
	}},
	{"zstd-of-too-much", "codec", func(d *Dense) error {
		i := slices.IndexFunc(d.Blocks, func(b damage.Block) bool { return b.Kind == format.BlockDefinitions })
		b := &d.Blocks[i]
		b.Payload, b.Codec, b.Raw = Bomb(1<<20), format.CodecZstd, 1<<20
		return nil
	}},
}

// DenseFaults makes files that claim more than their bytes can hold.
func DenseFaults() ([]Vector, error) {
	f := &faulty{}
	for _, v := range denseFaults {
		d, err := NewDense()
		if err == nil {
			err = v.change(d)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		f.add(v.name, v.class, d.Bytes())
	}
	return f.vectors, errors.Join(itemFaults(f), partFaults(f), remainderFault(f), textFaults(f), phraseFaults(f), f.err)
}
