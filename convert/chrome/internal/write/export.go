package write

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of an export; zero fields mean the default.
type Options struct {
	// Progress counts ticks of the window up to which calls and events are written.
	Progress trace.Progress
	// Output says what becomes of files that are there already.
	Output store.OutputOptions
}

// File writes the events of a window to a file, see chrome.Export.
func File(ctx context.Context, r *store.Reader, w *store.Window, path string, opt Options) (size int64, err error) {
	out, err := claim.Create(path, opt.Output)
	if err != nil {
		return 0, err
	}
	sized := &byteCounter{w: out}
	if err = writeTo(ctx, sized, strings.HasSuffix(path, ".gz"), r, w, opt); err != nil {
		return 0, errors.Join(err, out.Discard())
	}
	return sized.bytes, out.Commit()
}

// byteCounter counts the bytes written.
type byteCounter struct {
	w     io.Writer
	bytes int64
}

// Write implements io.Writer.
func (c *byteCounter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.bytes += int64(n)
	return n, err
}

func writeTo(ctx context.Context, out io.Writer, compress bool, r *store.Reader, w *store.Window, opt Options) error {
	if !compress {
		return Stream(ctx, out, r, w, opt)
	}
	z := gzip.NewWriter(out)
	if err := Stream(ctx, z, r, w, opt); err != nil {
		return err
	}
	return z.Close()
}

// Stream writes the events of a window to a writer.
func Stream(ctx context.Context, out io.Writer, r *store.Reader, w *store.Window, opt Options) error {
	r, w = r.WithContext(ctx), w.WithContext(ctx)
	defs, err := r.Definitions()
	if err != nil {
		return err
	}
	x := &exporter{ctx: ctx, options: opt, reader: r, window: w, defs: defs, meta: r.Meta(), stacks: map[uint64]*callStack{}, fifo: map[interval]*ordinals{}, cuts: map[end][]byte{}}
	x.out = &lines{w: bufio.NewWriterSize(out, 256<<10), resolution: x.meta.Resolution}
	if x.meta.Format == form.FormatName {
		x.out.kept = newNumbers(defs)
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return err
	}
	x.out.threads(ids, defs)
	x.describeAttributes()
	x.out.begin(x.meta)
	if err := x.events(); err != nil {
		return err
	}
	if err := x.messages(); err != nil {
		return err
	}
	return x.out.end()
}

// exporter writes a window.
type exporter struct {
	ctx     context.Context
	options Options
	reader  *store.Reader
	window  *store.Window
	defs    *trace.Definitions
	meta    *trace.Meta
	out     *lines
	places  map[uint64]form.AttributePlace // of attributes that came from a file of trace events
	stacks  map[uint64]*callStack          // by location
	fifo    map[interval]*ordinals
	cuts    map[end][]byte // marks of ends of messages
	points  uint64         // points of flows that are no ends of messages
	steps   int
}

// callStack is what is going on on a location.
type callStack struct {
	open  []openCall
	bytes []trace.Attr // attributes of the next event that are bytes: Value is a place in text
	text  []byte
	mark  []byte // of the next event, if it was put in where the trace was cut: a member of its arguments, as JSON
	next  uint64 // the ordinal behind the event that was read last, where not all are
}

// openCall is a call whose end was not written yet.
type openCall struct {
	trace.Call
	args []byte // members of its arguments that became known since, as JSON
}

// maxArgs bounds the arguments that are kept for the end of a call, in bytes.
const maxArgs = 4 << 10

func (x *exporter) stack(location uint64) *callStack {
	s := x.stacks[location]
	if s == nil {
		s = &callStack{}
		x.stacks[location] = s
	}
	return s
}

// describeAttributes finds the attributes that were something else than arguments.
func (x *exporter) describeAttributes() {
	x.places = map[uint64]form.AttributePlace{}
	if x.meta.Format != form.FormatName {
		return
	}
	for id, a := range x.defs.Attributes {
		for place, d := range form.Descriptions {
			if x.defs.Strings[a.Description] == d {
				x.places[id] = form.AttributePlace(place)
			}
		}
	}
}

// tick reports progress, and whether to stop.
func (x *exporter) tick(t int64) error {
	const often = 1 << 12
	if x.steps++; x.steps%often != 0 {
		return nil
	}
	from, to := x.window.Bounds()
	x.options.Progress.Report(max(0, t-from), to-from)
	return x.ctx.Err()
}

// messages writes messages as flows: each has a number.
func (x *exporter) messages() error {
	id := uint64(0)
	named := flows{exporter: x, steps: map[step]int{}}
	for m, err := range x.window.Messages() {
		if err == nil {
			err = x.tick(m.SendTime)
		}
		if err == nil && x.isFlow(&m) {
			if err = named.add(&m); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		id++
		x.out.open('s', m.SendLocation, m.SendTime)
		x.out.add(`,"cat":` + form.MessageCat + `,"name":` + form.MessageName + `,"id":`)
		x.out.uint(id)
		x.out.add(`,"args":{"tag":`)
		x.out.uint(m.Tag)
		x.out.add(`,"bytes":`)
		x.out.uint(m.SendLength)
		x.cutOf(m.SendLocation, m.SendOrdinal)
		if name := x.defs.Name(trace.SpaceComm, m.Communicator); name != "" {
			x.out.add(`,"communicator":`)
			x.out.string(name)
		}
		x.out.add(`}`)
		x.out.close()
		x.out.open('f', m.ReceiveLocation, m.ReceiveTime)
		x.out.add(`,"bp":"e","cat":` + form.MessageCat + `,"name":` + form.MessageName + `,"id":`)
		x.out.uint(id)
		x.out.add(`,"args":{"bytes":`)
		x.out.uint(m.ReceiveLength)
		x.cutOf(m.ReceiveLocation, m.ReceiveOrdinal)
		x.out.add(`}`)
		x.out.close()
	}
	return named.write()
}
