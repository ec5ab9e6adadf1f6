package encode

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// Run is one location's part of a slice.
type Run struct {
	// Location is the location's index in the trace, not its id.
	Location uint32
	// First is the ordinal of the run's first event among the location's events.
	First uint64
	// Events is the number of events.
	Events int
	// Residuals says that each event has a source-time residual in the column of residuals.
	Residuals bool
	// Period and Phases are those of the lattice that the times are coded by; without Phases they are coded as differences.
	Period Period
	Phases []Phase
	Tokens []Token
}

// PairMark notes an end of a message that is not simply paired with the next of its channel in the same slice.
type PairMark struct {
	// Endpoint is the number of the endpoint among those of the block, in the order of its events.
	Endpoint uint32
	// Skip is the number of unpaired sends of the channel that a receive passes over; Unpaired if the endpoint's
	// partner is not in this slice.
	Skip uint32
}

// Unpaired marks endpoints without a partner in their slice.
const Unpaired = ^uint32(0)

// Slice holds the events of one lane in one slice.
type Slice struct {
	Number     uint64
	Lane       uint32
	Epoch      uint32
	Start, End int64
	// Runs are in the order of their locations.
	Runs []Run
	// Columns holds the values of each column, coded as their slots' modes say, runs one after the other.
	Columns [][]uint64
	// Spans holds, for each value of a column of a counter, the time since the one before. Only needed to encode.
	Spans [][]uint64
	// Befores holds, for each value (but residuals), the number of the event before. Only needed to encode.
	Befores [][]uint16
	// Text holds the bytes of text values.
	Text []byte
	// Pairs is ordered by endpoint.
	Pairs []PairMark
}

// Statistics are the models that the slices of one lane in one group share.
type Statistics struct {
	// Structure codes tokens; its contexts are those of structureContexts.
	Structure *Model
	// Values codes value columns; its contexts are the dictionary's columns and Pairs.
	Values *Model
	// Pairs have contexts of their own in Values, after those of the columns. They are ordered.
	Pairs []Pair
	// Periods are the lattices of the locations' clocks, by location; those without one are left out.
	Periods []LocationPeriod
	// Counters say how the columns of counters are predicted, by column; those coded as plain differences are left out.
	Counters []Counter

	contexts *contexts
}

// LocationPeriod is the period of a location's clock.
type LocationPeriod struct {
	Location uint32
	Period   Period
}

// Contexts of the structure model.
const (
	contextShape = iota // shape numbers of tokens
	contextCount        // counts of tokens, less one
	contextRun          // numbers of tokens of runs
	structureContexts
)

// A slice block is
//
//	uvarint  number of the slice
//	uvarint  lane
//	uvarint  epoch
//	varint   start
//	uvarint  end - start
//	uvarint  number of runs
//	runs     uvarint location - previous run's location - 1 (the first: location), uvarint first ordinal, byte flags (1: residuals, 2: lattice)
//	         with a lattice: uvarint number of phases, see appendPhases
//	uvarint  number of pair marks
//	marks    uvarint endpoint - previous mark's endpoint - 1 (the first: endpoint), uvarint 0 for unpaired, else 1 + skip (skip is not 0)
//	bytes    text
//	bytes    tokens, coded by the structure model: numbers of tokens of all runs; and after them, in a second block,
//	         all shapes, then all counts less one
//	rest     values, coded by the value model, column by column
const sliceSection = "slice block"

// StatisticsBuilder collects the slices that will share statistics.
type StatisticsBuilder struct {
	structure, values *Builder
	pairs             []Pair
	contexts          *contexts
	flat              flattener
}

// NewStatisticsBuilder starts the statistics of slices with the given number of columns.
func NewStatisticsBuilder(columns int, pairs []Pair) *StatisticsBuilder {
	c := newContexts(columns, pairs)
	return &StatisticsBuilder{structure: NewBuilder(structureContexts), values: NewBuilder(c.all), pairs: pairs, contexts: c}
}

// Add counts a slice.
func (b *StatisticsBuilder) Add(s *Slice) {
	b.structure.Add(b.flat.runs(s))
	b.structure.Add(b.flat.tokens(s))
	b.values.Add(b.flat.columns(s, b.contexts))
}

// Build fits the models.
func (b *StatisticsBuilder) Build() *Statistics {
	return &Statistics{Structure: b.structure.Build(), Values: b.values.Build(), Pairs: b.pairs, contexts: b.contexts}
}

// Append appends the statistics' bytes:
//
//	pairs    see appendPairs
//	periods  see appendPeriods
//	counters see appendCounters
//	bytes    structure model
//	rest     value model
func (t *Statistics) Append(dst []byte) []byte {
	dst = appendPairs(dst, t.Pairs)
	dst = appendPeriods(dst, t.Periods)
	dst = appendCounters(dst, t.Counters)
	dst = format.AppendBytes(dst, t.Structure.Append(nil))
	return t.Values.Append(dst)
}

// ParseStatistics reads what Append wrote.
func ParseStatistics(b []byte) (*Statistics, error) {
	r := format.NewDecoder("model block", b)
	t := &Statistics{Pairs: readPairs(r), Periods: readPeriods(r), Counters: readCounters(r)}
	structure := r.Bytes()
	if r.Err() != nil {
		return nil, r.Err()
	}
	var err error
	if t.Structure, err = ParseModel(structure); err != nil {
		return nil, err
	}
	if t.Structure.Contexts() != structureContexts {
		return nil, format.Corruptf("model block", -1, "%d contexts of structure, should be %d", t.Structure.Contexts(), structureContexts)
	}
	if t.Values, err = ParseModel(r.Take(r.Len())); err != nil {
		return nil, err
	}
	columns := t.Values.Contexts() - len(t.Pairs)
	if n := len(t.Pairs); columns < 1 || n > 0 && int(t.Pairs[n-1].Column) >= columns {
		return nil, format.Corruptf("model block", -1, "pairs of contexts that the model does not have")
	}
	t.contexts = newContexts(columns, t.Pairs)
	return t, nil
}

// AppendSlice appends the slice's bytes.
func AppendSlice(dst []byte, s *Slice, t *Statistics) []byte {
	var f flattener
	dst = appendSliceHead(dst, s)
	counts, values := f.runs(s)
	structure := format.AppendBytes(nil, t.Structure.Encode(nil, counts, values))
	counts, values = f.tokens(s)
	structure = t.Structure.Encode(structure, counts, values)
	dst = format.AppendBytes(dst, structure)
	counts, values = f.columns(s, t.contexts)
	return t.Values.Encode(dst, counts, values)
}

func appendSliceHead(dst []byte, s *Slice) []byte {
	dst = format.AppendUvarint(dst, s.Number)
	dst = format.AppendUvarint(dst, uint64(s.Lane))
	dst = format.AppendUvarint(dst, uint64(s.Epoch))
	dst = format.AppendVarint(dst, s.Start)
	dst = format.AppendUvarint(dst, uint64(s.End-s.Start))
	dst = format.AppendUvarint(dst, uint64(len(s.Runs)))
	next := uint32(0)
	for i := range s.Runs {
		r := &s.Runs[i]
		dst = format.AppendUvarint(dst, uint64(r.Location-next))
		next = r.Location + 1
		dst = format.AppendUvarint(dst, r.First)
		dst = append(dst, b2u(r.Residuals)|b2u(len(r.Phases) > 0)<<1)
		dst = appendPhases(dst, r.Phases)
	}
	dst = format.AppendUvarint(dst, uint64(len(s.Pairs)))
	next = 0
	for _, p := range s.Pairs {
		dst = format.AppendUvarint(dst, uint64(p.Endpoint-next))
		next = p.Endpoint + 1
		dst = format.AppendUvarint(dst, uint64(p.Skip+1)&0xffffffff)
	}
	return format.AppendBytes(dst, s.Text)
}

func b2u(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// flattener lays out what a model codes: the numbers of values per context, and the values, context by context.
type flattener struct {
	counts []int
	values []uint64
	next   []int
}

func (f *flattener) reset(contexts int) {
	f.counts = append(f.counts[:0], make([]int, contexts)...)
	f.values = f.values[:0]
}

func (f *flattener) runs(s *Slice) ([]int, []uint64) {
	f.reset(structureContexts)
	for i := range s.Runs {
		f.values = append(f.values, uint64(len(s.Runs[i].Tokens)))
	}
	f.counts[contextRun] = len(f.values)
	return f.counts, f.values
}

func (f *flattener) tokens(s *Slice) ([]int, []uint64) {
	f.reset(structureContexts)
	for i := range s.Runs {
		for _, t := range s.Runs[i].Tokens {
			f.values = append(f.values, uint64(t.Shape))
		}
	}
	f.counts[contextShape] = len(f.values)
	for i := range s.Runs {
		for _, t := range s.Runs[i].Tokens {
			f.values = append(f.values, uint64(t.Count-1))
		}
	}
	f.counts[contextCount] = f.counts[contextShape]
	return f.counts, f.values
}

func (f *flattener) columns(s *Slice, c *contexts) ([]int, []uint64) {
	f.reset(c.all)
	total := 0
	for column, values := range s.Columns {
		total += len(values)
		if len(values) == 0 {
			continue
		}
		if !c.paired[column] {
			f.counts[column] += len(values)
		} else {
			for _, b := range s.Befores[column] {
				f.counts[c.of(uint32(column), b)]++
			}
		}
	}
	f.place(s, c, total)
	return f.counts, f.values
}

// place puts the values where their contexts stand.
func (f *flattener) place(s *Slice, c *contexts, total int) {
	f.values = slices.Grow(f.values, total)[:total]
	f.next = append(f.next[:0], make([]int, c.all)...)
	at := 0
	for i, n := range f.counts {
		f.next[i] = at
		at += n
	}
	for column, values := range s.Columns {
		if len(values) == 0 {
			continue
		}
		if !c.paired[column] {
			copy(f.values[f.next[column]:], values)
			continue
		}
		for i, b := range s.Befores[column] {
			context := c.of(uint32(column), b)
			f.values[f.next[context]] = values[i]
			f.next[context]++
		}
	}
}

// readSliceHead reads what appendSliceHead wrote.
func readSliceHead(r *format.Decoder, limits format.Limits) *Slice {
	s := &Slice{
		Number: r.Uvarint(),
		Lane:   uint32(r.Int(1 << 32)),
		Epoch:  uint32(r.Int(1 << 32)),
		Start:  r.Varint(),
	}
	s.End = s.Start + int64(r.Int(format.SpanLimit))
	s.Runs = make([]Run, r.Count(3, limits.Locations))
	next := uint64(0)
	for i := range s.Runs {
		location := next + r.Uvarint()
		if location >= uint64(limits.Locations) || location < next {
			r.Fail("location %d is out of range", location)
			return s
		}
		next = location + 1
		s.Runs[i] = Run{Location: uint32(location), First: r.Uvarint()}
		flags := r.Byte()
		if flags > 3 {
			r.Fail("unknown flags %#x", flags)
		}
		s.Runs[i].Residuals = flags&1 != 0
		if flags&2 != 0 {
			s.Runs[i].Phases = readPhases(r)
		}
	}
	s.Pairs = make([]PairMark, r.Count(2, limits.SliceEvents))
	next = 0
	for i := range s.Pairs {
		endpoint := next + uint64(r.Int(limits.SliceEvents))
		next = endpoint + 1
		skip := r.Int(1 << 32)
		if skip == 1 {
			r.Fail("a mark that says nothing")
		}
		s.Pairs[i] = PairMark{Endpoint: uint32(endpoint), Skip: uint32(skip) - 1}
	}
	s.Text = r.Bytes()
	return s
}

// readTokens reads the tokens of all runs and counts their events.
func readTokens(r *format.Decoder, s *Slice, d *Dictionary, m *Model, limits format.Limits) error {
	inner := format.NewDecoder(sliceSection, r.Bytes())
	perRun := make([]uint64, len(s.Runs))
	counts := make([]int, structureContexts)
	counts[contextRun] = len(perRun)
	if err := m.Decode(perRun, inner.Bytes(), counts); err != nil {
		return err
	}
	total := 0
	for _, n := range perRun {
		if n > uint64(limits.SliceEvents-total) {
			r.Fail("too many tokens")
			return r.Err()
		}
		total += int(n)
	}
	flat := make([]uint64, 2*total)
	counts[contextRun], counts[contextShape], counts[contextCount] = 0, total, total
	if err := m.Decode(flat, inner.Take(inner.Len()), counts); err != nil {
		return err
	}
	tokens, err := makeTokens(r, d, flat[:total], flat[total:])
	if err != nil {
		return err
	}
	d.checkTokens(r, s, tokens, perRun, limits)
	return r.Err()
}

func makeTokens(r *format.Decoder, d *Dictionary, shapes, counts []uint64) ([]Token, error) {
	tokens := slices.Grow([]Token(nil), len(shapes))
	for i, s := range shapes {
		if s >= uint64(d.Len()) || counts[i] >= 1<<32-1 {
			r.Fail("token of shape %d, count %d is out of range", s, counts[i])
			return nil, r.Err()
		}
		tokens = append(tokens, Token{uint32(s), uint32(counts[i] + 1)})
	}
	return tokens, nil
}
