package read

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
	"github.com/pandotrace/pando/trace"
)

// A trace says of sends and receives only in what order they are: of a channel, which is two processes, a communicator and a
// tag, the n-th send belongs to the receive that was posted n-th. Flows say themselves which ends belong together. So the
// messages of each channel are looked at from the last to the first, and a receive that comes behind one of a later message
// gets posted where it must have been, as one that does not block.

// pairFlows makes messages of the points of flows. Others stay events by themselves.
func pairFlows(r *reader, s scan.Scale) (*sorting.Sorter, error) {
	pairs := sorting.New(r.flows.Dir, r.flows.Memory)
	c := r.flows.Records()
	p := pairing{reader: r, pairs: pairs, scale: s}
	var last sorting.Key
	for c.Next() {
		k := c.Key()
		if p.any {
			if err := p.step(last.Group, k.Group == last.Group && k.Time == last.Time); err != nil {
				return pairs, err
			}
		}
		if err := p.now.read(k.Time, c.Data()); err != nil {
			return pairs, err
		}
		last, p.any = k, true
	}
	if err := c.Failure(); err != nil || !p.any {
		return pairs, err
	}
	if err := p.step(last.Group, false); err != nil {
		return pairs, err
	}
	return pairs, p.end()
}

// step takes in the point that was read. tied says that the next point is of the same flow and time.
func (p *pairing) step(flow uint64, tied bool) error {
	if flow != p.flow {
		if err := p.end(); err != nil {
			return err
		}
		p.flow, p.order = flow, 0
	}
	if tied || p.order > 0 {
		p.order++
		p.now.attributes = p.withOrder(p.now.attributes)
	}
	if !tied {
		p.order = 0
	}
	return p.take()
}

// withOrder adds to attributes of a point that shares its time with others of the flow which of them it is, for the way back.
func (p *pairing) withOrder(packed []byte) []byte {
	if p.now.comm != 0 {
		return packed
	}
	id, ok := p.names.attribute(p.names.strings.id([]byte(form.OrderKey)), form.InEvent, trace.ValueInt64)
	if !ok {
		return packed
	}
	u := unpacker{b: packed}
	p.ordered, p.orderID = true, id
	return appendAttributes(nil, append(u.attributes(nil), attribute{id: id, typ: trace.ValueInt64, value: p.order}))
}

// withoutOrder takes out what withOrder added.
func (p *pairing) withoutOrder(packed []byte) []byte {
	if !p.ordered {
		return packed
	}
	u := unpacker{b: packed}
	list := u.attributes(nil)
	return appendAttributes(nil, slices.DeleteFunc(list, func(a attribute) bool { return a.id == p.orderID }))
}

// pairing pairs the points of one flow after the other.
type pairing struct {
	*reader
	pairs *sorting.Sorter
	scale scan.Scale
	flow  uint64
	now   flowPoint
	open  flowPoint // the point that the next one is reached from
	has   bool
	sent  bool      // the open point is where a flow begins, and has no arrow yet
	early flowPoint // an end without a begin
	lone  int       // ends without a begin
	pairN int
	any   bool   // a point was read
	order uint64 // of the point among those of its flow and time, from 1; 0 if it is alone

	ordered bool   // some points have their order as an attribute
	orderID uint64 // of that attribute
}

// take takes in the next point.
func (p *pairing) take() error {
	switch {
	case p.now.phase == 's':
		if err := p.dropOpen(); err != nil {
			return err
		}
		p.hold(true)
		return nil
	case !p.has:
		return p.unpaired()
	}
	if err := p.message(&p.open, &p.now); err != nil {
		return err
	}
	p.has = false
	if p.now.phase == 't' {
		p.hold(false)
	}
	return nil
}

// hold makes the point the one that the next is reached from.
func (p *pairing) hold(sent bool) {
	p.open, p.now = p.now, p.open
	p.has, p.sent = true, sent
}

// unpaired takes in an end without a begin, or a stop. The first one may have a begin behind it, where clocks differ.
func (p *pairing) unpaired() error {
	if p.lone++; p.lone > 1 || p.now.phase != 'f' {
		p.lone++
		return p.keep(&p.now)
	}
	p.early, p.now = p.now, p.early
	return nil
}

// dropOpen keeps a begin without an end as it is.
func (p *pairing) dropOpen() error {
	if !p.has || !p.sent {
		return nil
	}
	p.has = false
	return p.keep(&p.open)
}

// end ends a flow.
func (p *pairing) end() error {
	early := p.early.phase != 0
	if early && p.has && p.sent && p.lone == 1 && p.pairN == 0 {
		p.has, early = false, false
		if err := p.message(&p.open, &p.early); err != nil {
			return err
		}
	}
	if early {
		if err := p.keep(&p.early); err != nil {
			return err
		}
	}
	err := p.dropOpen()
	p.has, p.lone, p.pairN, p.early.phase = false, 0, 0, 0
	return err
}

// keep keeps a point that is no end of a message.
func (p *pairing) keep(x *flowPoint) error {
	p.warnings.Add("end of a flow without a partner", "id %d", x.id)
	p.record = appendEvent(p.head(opEvent), trace.KindPhaseEvent, x.category, uint64(x.phase), x.id)
	p.record = append(p.record, p.withoutOrder(x.attributes)...)
	return p.put1(x.location, x.at, 0)
}

// put1 gives the record to the sorter.
func (r *reader) put1(l uint32, at scan.Instant, rank uint64) error {
	r.Locations.List[l].count(1, at)
	return r.Sorted.Add(sorting.Key{Group: uint64(l), Rank: rank, Time: at}, r.record)
}

// message notes a message, by its channel and from the last to the first.
func (p *pairing) message(from, to *flowPoint) error {
	p.pairN++
	sender, receiver := &p.Locations.List[from.location], &p.Locations.List[to.location]
	channel := hashWord(hashWord(hashWord(hashWord(hashSeed, uint64(sender.process)), uint64(receiver.process)), from.tag), from.comm)
	sent := p.scale.Instant(p.scale.Ticks(from.at))
	k := sorting.Key{Group: channel, Rank: math.MaxUint64 - sender.id, Time: scan.Instant{Micros: ^sent.Micros, Frac: scan.FracUnit - 1 - sent.Frac}}
	p.record = binary.AppendVarint(p.record[:0], to.at.Micros)
	p.record = binary.AppendUvarint(p.record, uint64(to.at.Frac))
	p.record = appendSized(p.record, from.append(nil))
	p.record = to.append(p.record)
	return p.pairs.Add(k, p.record)
}

func appendSized(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// placed is a place in the merged order of all events.
type placed struct {
	ticks    int64
	location uint64
}

func (p placed) before(o placed) bool {
	return p.ticks < o.ticks || p.ticks == o.ticks && p.location < o.location
}

// deliver makes sends and receives of messages.
func deliver(r *reader, pairs *sorting.Sorter, s scan.Scale) error {
	c := pairs.Records()
	d := delivery{reader: r, scale: s}
	for c.Next() {
		k := c.Key()
		if k.Group != d.channel || !d.begun {
			d.begun, d.channel, d.low = true, k.Group, placed{math.MaxInt64, 0}
		}
		if err := d.read(scan.Instant{Micros: ^k.Time.Micros, Frac: scan.FracUnit - 1 - k.Time.Frac}, c.Data()); err != nil {
			return err
		}
		if err := d.put(); err != nil {
			return err
		}
	}
	return c.Failure()
}

// delivery goes through the messages of one channel after the other.
type delivery struct {
	*reader
	scale    scan.Scale
	channel  uint64
	low      placed // where the earliest receive of later messages was posted
	begun    bool
	requests uint64
	from, to flowPoint
}

func (d *delivery) read(sent scan.Instant, data []byte) error {
	u := unpacker{b: data}
	us, n := binary.Varint(u.b)
	u.take(max(n, 0))
	received := scan.Instant{Micros: us, Frac: uint32(u.uvarint())}
	if err := d.from.read(sent, u.take(u.count())); err != nil || n <= 0 || u.bad {
		return errUnpack
	}
	return d.to.read(received, u.b)
}

// put makes the records of a message.
func (d *delivery) put() error {
	sender, receiver := &d.Locations.List[d.from.location], &d.Locations.List[d.to.location]
	me, peer := d.Locations.processes[sender.process].id, d.Locations.processes[receiver.process].id
	d.record = appendEvent(unplaced(d.record), trace.KindMpiSend, peer, d.from.comm, d.from.tag, d.from.bytes)
	d.record = append(d.record, d.from.attributes...)
	if err := d.emit(d.from.location, d.from.at, sendRank); err != nil {
		return err
	}
	words := []uint64{me, d.from.comm, d.from.tag, d.to.bytes}
	at := placed{d.scale.Ticks(d.to.at), receiver.id}
	if !d.low.before(at) {
		d.low = at
		return d.receive(trace.KindMpiRecv, words)
	}
	d.requests++
	if d.low.location < receiver.id {
		d.low.ticks--
	}
	d.low.location = receiver.id
	if err := d.receive(trace.KindMpiIrecv, append(words, d.requests)); err != nil {
		return err
	}
	d.record = append(appendEvent(unplaced(d.record), trace.KindMpiIrecvRequest, d.requests), 0)
	posted := d.scale.Instant(d.low.ticks)
	d.note(posted)
	return d.emit(d.to.location, posted, receiveRank)
}

func (d *delivery) receive(kind trace.Kind, words []uint64) error {
	d.record = appendEvent(unplaced(d.record), kind, words...)
	d.record = append(d.record, d.to.attributes...)
	return d.emit(d.to.location, d.to.at, receiveRank)
}

// emit gives the record to the sorter: before those that were given before, if it has the time and place of them.
func (d *delivery) emit(l uint32, at scan.Instant, rank uint64) error {
	d.messages++
	return d.put1(l, at, rank-d.messages)
}
