package columnar

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// wants says what tables should hold, by the naive model and by arithmetic without bounds.
type wants struct {
	*model.Trace
	first  int64
	number map[model.EventID]int // of each event
	places map[uint64]map[string]string
	ns     map[int64]string // of ticks: most times stand in several tables
}

func newWants(m *model.Trace) *wants {
	w := &wants{Trace: m, number: map[model.EventID]int{}, places: map[uint64]map[string]string{}, ns: map[int64]string{}}
	w.first, _, _ = m.Span()
	for _, l := range m.Locations {
		for i := range l.Events {
			w.number[model.EventID{Location: l.ID, Ordinal: uint64(i)}] = len(w.number)
		}
		w.places[l.ID] = w.place(l.ID)
	}
	return w
}

func (w *wants) event(location, ordinal uint64) string {
	return strconv.Itoa(w.number[model.EventID{Location: location, Ordinal: ordinal}])
}

// place are the cells that say where something happened.
func (w *wants) place(id uint64) map[string]string {
	cells := map[string]string{
		"location": integer(id), "location_name": w.name(trace.SpaceLocation, id),
		"process": null, "process_name": null, "thread": null, "rank": null,
	}
	i, ok := w.Definitions.LocationIndex(id)
	if !ok || w.Definitions.Locations[i].Group == 0xffffffff {
		return cells
	}
	group := w.Definitions.Locations[i].Group
	thread := 0
	for _, l := range w.Definitions.Locations[:i] {
		if l.Group == group {
			thread++
		}
	}
	cells["process"], cells["thread"] = integer(group), strconv.Itoa(thread)
	cells["process_name"] = w.name(trace.SpaceLocationGroup, group)
	for rank, member := range w.world() {
		if j, ok := w.Definitions.LocationIndex(member); ok && w.Definitions.Locations[j].Group == group {
			cells["rank"] = strconv.Itoa(rank)
		}
	}
	return cells
}

// world returns the locations in the order of their MPI ranks.
func (w *wants) world() []uint64 {
	for _, r := range w.Definitions.Log {
		if r.Kind == trace.KindGroup {
			n := len(r.Words)
			if r.Words[n-3] == 4 && r.Words[n-2] == 4 {
				return r.Words[3 : n-3]
			}
		}
	}
	return nil
}

func (w *wants) name(space trace.Space, id uint64) string {
	if s := w.Definitions.Name(space, id); s != "" {
		return valid(s)
	}
	return null
}

// valid decodes and encodes a string, which replaces what is not UTF-8.
func valid(s string) string { return string([]rune(s)) }

func integer(v uint64) string { return strconv.FormatInt(int64(v), 10) }

// id is the cell of a reference.
func id(v uint64) string {
	if v == math.MaxUint32 || v == math.MaxUint64 {
		return null
	}
	return integer(v)
}

// span adds the cells of a duration.
func (w *wants) span(cells map[string]string, prefix string, ticks int64) {
	ns, ok := w.ns[ticks]
	if !ok {
		ns = w.nanoseconds(ticks)
		w.ns[ticks] = ns
	}
	cells[prefix+"ticks"], cells[prefix+"ns"] = strconv.FormatInt(ticks, 10), ns
}

// nanoseconds rounds halves away from zero; what 64 bits do not hold is the nearest number that they do, without the least one.
func (w *wants) nanoseconds(ticks int64) string {
	ns := new(big.Rat).SetFrac(big.NewInt(1_000_000_000), new(big.Int).SetUint64(w.Meta.Resolution))
	ns.Mul(ns, new(big.Rat).SetInt64(ticks))
	for _, most := range []int64{math.MaxInt64, -math.MaxInt64} {
		if limit := new(big.Rat).SetInt64(most); ns.Cmp(limit) == ns.Sign() && ns.Sign() == limit.Sign() {
			return strconv.FormatInt(most, 10)
		}
	}
	return ns.FloatString(0)
}

func (w *wants) instant(cells map[string]string, prefix string, t int64) {
	w.span(cells, prefix, t-w.first)
}

func (w *wants) calls() (rows []map[string]string) {
	for _, c := range w.Calls() {
		cells := maps.Clone(w.places[c.Location])
		cells["call"], cells["parent"] = w.event(c.Location, c.Ordinal), null
		if c.Parent != trace.Undefined {
			cells["parent"] = w.event(c.Location, c.Parent)
		}
		cells["region"], cells["name"] = id(c.Region), w.name(trace.SpaceRegion, c.Region)
		w.instant(cells, "start_", c.Start)
		w.instant(cells, "end_", c.End)
		w.span(cells, "duration_", c.End-c.Start)
		w.span(cells, "exclusive_", c.Exclusive)
		cells["depth"], cells["children"] = strconv.Itoa(c.Depth), integer(c.Children)
		cells["open"] = strconv.FormatBool(c.Flags&1 != 0)
		cells["cut"] = strconv.FormatBool(c.Flags&2 != 0)
		cells["calling_context"] = id(c.Context)
		rows = append(rows, cells)
	}
	return rows
}

func (w *wants) messages() (rows []map[string]string) {
	for _, m := range w.Match().Messages {
		cells := map[string]string{
			"send_event": w.event(m.SendLocation, m.SendOrdinal), "receive_event": w.event(m.ReceiveLocation, m.ReceiveOrdinal),
			"tag": integer(m.Tag), "communicator": id(m.Communicator), "communicator_name": w.name(trace.SpaceComm, m.Communicator),
			"send_bytes": integer(m.SendLength), "receive_bytes": integer(m.ReceiveLength),
		}
		for column, cell := range w.places[m.SendLocation] {
			cells["send_"+column] = cell
		}
		for column, cell := range w.places[m.ReceiveLocation] {
			cells["receive_"+column] = cell
		}
		w.instant(cells, "send_", m.SendTime)
		w.instant(cells, "receive_", m.ReceiveTime)
		w.span(cells, "latency_", m.ReceiveTime-m.SendTime)
		rows = append(rows, cells)
	}
	return rows
}

func (w *wants) metrics() (rows []map[string]string) {
	for _, e := range w.Events() {
		if e.Kind != trace.KindMetric {
			continue
		}
		members := w.Definitions.MetricMembers(e.Words[0])
		for i := range int(e.Words[1]) {
			cells := maps.Clone(w.places[e.Location])
			cells["event"] = w.event(e.Location, e.Ordinal)
			w.instant(cells, "", e.Time)
			cells["metric"], cells["position"] = id(e.Words[0]), strconv.Itoa(i)
			cells["member"], cells["name"], cells["unit"] = null, null, null
			member := trace.MetricMember{}
			if i < len(members) {
				member = w.Definitions.Members[members[i]]
				cells["member"] = id(members[i])
				if _, ok := w.Definitions.Members[members[i]]; ok {
					cells["name"], cells["unit"] = w.name(trace.SpaceString, member.Name), w.name(trace.SpaceString, member.Unit)
				}
			}
			w.value(cells, trace.ValueType(e.Words[2+2*i]), e.Words[3+2*i], member)
			rows = append(rows, cells)
		}
	}
	return rows
}

// value adds the cells of a metric's value.
func (w *wants) value(cells map[string]string, t trace.ValueType, v uint64, m trace.MetricMember) {
	cells["type"], cells["value"], cells["value_int"], cells["value_raw"] = t.String(), null, null, null
	if t > trace.ValueLocationGroup {
		cells["type"] = null
	}
	var number float64
	switch {
	case t >= trace.ValueUint8 && t <= trace.ValueUint64:
		number, cells["value_int"] = float64(v), integer(v)
	case t >= trace.ValueInt8 && t <= trace.ValueInt64:
		number, cells["value_int"] = float64(int64(v)), integer(v)
	case t == trace.ValueFloat:
		number = float64(math.Float32frombits(uint32(v)))
		cells["value_raw"] = formatDouble(number)
	case t == trace.ValueDouble:
		number = math.Float64frombits(v)
		cells["value_raw"] = formatDouble(number)
	default:
		return
	}
	cells["value"] = formatDouble(scaledByHand(number, m))
}

// scaledByHand multiplies as often as the exponent says.
func scaledByHand(v float64, m trace.MetricMember) float64 {
	if v == 0 {
		return v
	}
	base := 2.0
	if m.Base == 1 {
		base = 10
	}
	power := 1.0
	for range min(max(m.Exponent, -m.Exponent), 5000) {
		power *= base
	}
	if m.Exponent < 0 {
		return v / power
	}
	return v * power
}

// events leaves fields and attributes as canonical JSON: see [canonical].
func (w *wants) events() (rows []map[string]string) {
	for _, e := range w.Events() {
		cells := maps.Clone(w.places[e.Location])
		cells["event"], cells["ordinal"] = w.event(e.Location, e.Ordinal), integer(e.Ordinal)
		w.instant(cells, "", e.Time)
		spec := w.Meta.Table().Spec(e.Kind)
		cells["kind"] = spec.Name
		w.typed(cells, spec, &e)
		cells["fields"] = canonical(w.fields(spec, &e))
		cells["attributes"] = null
		if len(e.Attrs) > 0 {
			attributes := map[string]any{}
			for _, a := range e.Attrs {
				name := w.Definitions.Name(trace.SpaceAttribute, a.ID)
				if name == "" {
					name = strconv.FormatUint(a.ID, 10)
				}
				attributes[valid(name)] = w.json(a.Type, a.Value)
			}
			cells["attributes"] = canonical(attributes)
		}
		rows = append(rows, cells)
	}
	return rows
}

// typedFields says which fields have columns of their own.
var typedFields = map[string]string{
	"receiver": "peer", "sender": "peer", "root": "peer", "remote": "peer",
	"communicator": "communicator", "threadTeam": "communicator", "threadContingent": "communicator",
	"msgTag": "tag", "msgLength": "bytes", "sizeSent": "bytes", "bytesSent": "bytes", "bytes": "bytes",
	"bytesRequest": "bytes", "bytesResult": "bytes", "sizeReceived": "bytes_received", "bytesReceived": "bytes_received",
	"requestId": "request", "region": "region",
}

func (w *wants) typed(cells map[string]string, spec *trace.Spec, e *model.Event) {
	for _, column := range typedFields {
		cells[column] = null
	}
	cells["region_name"], cells["communicator_name"] = null, null
	spec.Walk(e.Words, func(_ int, f *trace.Field, word uint64) {
		column, ok := typedFields[f.Name]
		if f.Name == "callingContext" {
			if c, known := w.Definitions.Contexts[word]; known && !f.Undefined(word) {
				word, column, ok = c.Region, "region", true
			}
		}
		isID := f.Type == trace.TypeRef || f.Type == trace.TypeRank
		if !ok || isID && f.Undefined(word) || column == "peer" && f.Type != trace.TypeRank {
			return
		}
		cells[column] = integer(word)
		switch column {
		case "region":
			cells["region_name"] = w.name(trace.SpaceRegion, word)
		case "communicator":
			cells["communicator_name"] = w.name(trace.SpaceComm, word)
		}
	})
}

// fields are the fields of an event as an object.
func (w *wants) fields(spec *trace.Spec, e *model.Event) map[string]any {
	object := map[string]any{}
	for _, f := range spec.Fields {
		if f.Repeat {
			object[f.Name] = []any{}
		}
	}
	var before uint64
	texts := e.Texts
	spec.Walk(e.Words, func(_ int, f *trace.Field, word uint64) {
		var v any = word
		switch f.Type {
		case trace.TypeSigned:
			v = int64(word)
		case trace.TypeDouble:
			v = w.json(trace.ValueDouble, word)
		case trace.TypeTime:
			v = int64(word) - w.first
		case trace.TypeEnum:
			v = f.Enum.Format(word)
		case trace.TypeFlags:
			v = f.Enum.FormatFlags(word)
		case trace.TypeCode:
			v = trace.ValueType(word).String()
		case trace.TypeValue:
			v = w.json(trace.ValueType(before), word)
		case trace.TypeText:
			v, texts = valid(texts[0]), texts[1:]
		case trace.TypeBytes:
			v, texts = hex.EncodeToString([]byte(texts[0])), texts[1:]
		case trace.TypeRef, trace.TypeRank:
			if f.Undefined(word) {
				v = nil
			} else if f.Ref == trace.SpaceString {
				v = w.json(trace.ValueString, word)
			}
		}
		before = word
		if f.Repeat {
			object[f.Name] = append(object[f.Name].([]any), v)
		} else {
			object[f.Name] = v
		}
	})
	return object
}

func (w *wants) json(t trace.ValueType, v uint64) any {
	if s, ok := w.Definitions.Strings[v]; ok && t == trace.ValueString {
		return valid(s)
	}
	var number float64
	switch t {
	case trace.ValueFloat:
		number = float64(math.Float32frombits(uint32(v)))
	case trace.ValueDouble:
		number = math.Float64frombits(v)
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return fmt.Sprint(number)
	}
	return json.Number(t.Format(v))
}

// canonical is an object with its keys sorted.
func canonical(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// canonicalColumns replaces the JSON of two columns of events by its canonical form.
func canonicalColumns(t *testing.T, c *contents) *contents {
	t.Helper()
	d := &contents{columns: c.columns}
	for _, row := range c.rows {
		row = append([]string(nil), row...)
		for i, name := range c.columns {
			if name != "fields" && name != "attributes" && name != "Attributes" || row[i] == null {
				continue
			}
			var object map[string]any
			d := json.NewDecoder(strings.NewReader(row[i]))
			d.UseNumber() // numbers keep their text, strings get canonical escapes
			if err := d.Decode(&object); err != nil {
				t.Fatalf("%s: %v", row[i], err)
			}
			row[i] = canonical(object)
		}
		d.rows = append(d.rows, row)
	}
	return d
}

func (w *wants) locations() (rows []map[string]string) {
	all := w.Calls()
	events := 0
	for _, l := range w.Locations {
		cells := maps.Clone(w.places[l.ID])
		cells["type"] = null
		if i, ok := w.Definitions.LocationIndex(l.ID); ok {
			cells["type"] = trace.EnumLocationType.Format(w.Definitions.Locations[i].Type)
		}
		calls, depth := 0, 0
		for _, c := range all {
			if c.Location == l.ID {
				calls, depth = calls+1, max(depth, c.Depth+1)
			}
		}
		cells["events"], cells["calls"], cells["max_depth"] = strconv.Itoa(len(l.Events)), strconv.Itoa(calls), strconv.Itoa(depth)
		cells["first_event"] = strconv.Itoa(events)
		events += len(l.Events)
		for _, c := range []string{"first_ns", "first_ticks", "last_ns", "last_ticks"} {
			cells[c] = null
		}
		if n := len(l.Events); n > 0 {
			w.instant(cells, "first_", l.Events[0].Time)
			w.instant(cells, "last_", l.Events[n-1].Time)
		}
		rows = append(rows, cells)
	}
	return rows
}
