package vectors

import (
	"encoding/binary"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Dense is a file of one location and one slice. Its shapes, statistics and events can be replaced by some that claim far more than their
// bytes; its checksums stay right.
type Dense struct {
	file       []byte
	Blocks     []damage.Block
	Dictionary *shape.Dictionary
	Enter      uint32 // shape of the enter
	Leave      uint32 // shape of the leave
	times      []int64

	residual    int64 // of all events
	stray       bool  // the last residual belongs to no event
	after       bool  // the roster has a slice without shares behind the last one
	predictions []predict.Prediction
}

// NewDense returns a file with two calls, one after the other.
func NewDense() (*Dense, error) {
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	region := src.Region("main")
	b := src.Location(0, src.Process("process"))
	d := &Dense{Dictionary: shape.NewDictionary(trace.Standard)}
	for i := range 4 {
		kind := trace.KindEnter
		if i%2 == 1 {
			kind = trace.KindLeave
		}
		b.Append(kind, int64(i), region)
		d.times = append(d.times, int64(i))
	}
	var err error
	if d.file, err = File(src, store.Options{}); err != nil {
		return nil, err
	}
	if d.file, err = damage.Plain(d.file); err != nil {
		return nil, err
	}
	d.Blocks = damage.Blocks(d.file)
	if d.Enter, err = d.Dictionary.Event(0, trace.KindEnter, []uint64{region}, nil); err == nil {
		d.Leave, err = d.Dictionary.Event(0, trace.KindLeave, []uint64{region}, nil)
	}
	return d, err
}

// ofGroup returns what the blocks of the lane begin with: group, lane and epoch 0, and one page of the dictionary.
func ofGroup(rest []byte) []byte { return append([]byte{0, 0, 0, 1}, rest...) }

// set replaces the payload of the one block of a kind.
func (d *Dense) set(kind format.BlockKind, payload []byte) {
	i := slices.IndexFunc(d.Blocks, func(b damage.Block) bool { return b.Kind == kind })
	d.Blocks[i].Payload = payload
}

// Page writes the dictionary's page into the file and returns it.
func (d *Dense) Page() []byte {
	page := shape.NewPageWriter(d.Dictionary).Append(nil)
	d.set(format.BlockDictionary, ofGroup(page))
	return page
}

// leaf adds a leaf of a kind of one field, which is a value, and returns its column.
func (d *Dense) leaf(kind trace.Kind) (column uint32, err error) {
	id, err := d.Dictionary.Event(0, kind, []uint64{0}, nil)
	if err != nil {
		return 0, err
	}
	return d.Dictionary.Leaf(id).Slots[0].Column, nil
}

// events writes model and slice: the tokens are the structure of the events, and the roster declares a number of events.
func (d *Dense) events(events int, tokens ...shape.Token) {
	s := slice.Draft{}
	s.Reset(slice.Block{Start: d.times[0], End: d.times[len(d.times)-1] + 1})
	s.BeginRun()
	leaves := s.Events(d.times)
	for i := range leaves {
		leaves[i] = []uint32{d.Enter, d.Leave}[i%2]
	}
	s.Residuals(slices.Repeat([]int64{d.residual}, len(d.times)))
	s.EndRun(slice.Run{Events: len(d.times), Tokens: tokens})
	if d.stray {
		s.Runs[0].Residuals[len(d.times)-1]++
	}
	s.Count(d.Dictionary.Info())
	s.Runs[0].Events = events
	stats := slice.FitStatistics([]*slice.Draft{&s}, d.Dictionary.Columns(), d.Dictionary.ColumnInfos(), nil, column.InOrder)
	stats.Predictions = append(stats.Predictions, d.predictions...)
	if d.after {
		stats.Roster.Slices = append(stats.Roster.Slices, nil)
	}
	d.set(format.BlockModel, ofGroup(stats.Append(nil)))
	d.set(format.BlockSlice, slice.AppendBlock(nil, &s, stats, d.Dictionary.ColumnInfos()))
}

// listed sets the slice's number of events in the directory.
func (d *Dense) listed(events uint64) error {
	i := slices.IndexFunc(d.Blocks, func(b damage.Block) bool { return b.Kind == format.BlockPage })
	page, err := index.ParsePage(d.Blocks[i].Payload)
	if err == nil {
		page.Slices[0].Events = events
		d.Blocks[i].Payload = page.Append(nil)
	}
	return err
}

// Bytes returns the file.
func (d *Dense) Bytes() []byte { return damage.Join(d.file, d.Blocks) }

// Doubled adds composites: the first is a call, each further one is the composite before it, twice. It returns the last one.
func (d *Dense) Doubled(levels int) uint32 {
	id := d.Dictionary.Composite([]shape.Edge{{Shape: d.Enter, Count: 1}, {Shape: d.Leave, Count: 1}})
	for range levels {
		id = d.Dictionary.Composite([]shape.Edge{{Shape: id, Count: 2}})
	}
	return id
}

// Bomb returns a zstd frame of `raw` zeros, four bytes for every 128 KiB.
func Bomb(raw int) []byte {
	const most = 128 << 10
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}
	b = binary.LittleEndian.AppendUint32(b, uint32(raw))
	for ; raw > 0; raw -= most {
		head := uint32(min(raw, most))<<3 | 1<<1 // a byte again and again
		if raw <= most {
			head |= 1
		}
		b = append(b, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return b
}
