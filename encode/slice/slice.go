package slice

import (
	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
)

// Run is one location's part of a slice.
type Run struct {
	// Location is the location's index in the trace, ID its id; ID is set only in the run that begins with ordinal 0.
	Location uint32
	ID       uint64
	// First is the ordinal of the run's first event among the location's events.
	First uint64
	// Events is the number of events.
	Events int
	// Residuals are the numbers of the run's events that have a source-time residual in the column of residuals, in order.
	Residuals []uint32
	// Period and Phases are those of the lattice that the times are coded by; without Phases they are coded as differences.
	Period column.Period
	Phases []column.Phase
	Tokens []shape.Token
}

// Block holds the events of one lane in one slice.
type Block struct {
	Number     uint64
	Lane       uint32
	Epoch      uint32
	Start, End int64
	// Runs are in the order of their locations.
	Runs []Run
	// Text holds the bytes of text values. Events unpack it when they make batches.
	Text []byte
}

// TokenStatistics are the models of the structure of slices: what the tokens of one lane in one group share.
type TokenStatistics struct {
	// Structure codes all but values: see headContexts.
	Structure *column.Model
	// Successors gives the contexts of tokens.
	Successors Successors
	// Roster gives the runs of the slices.
	Roster Roster
}

// Statistics are the models that the slices of one lane in one group share.
type Statistics struct {
	TokenStatistics
	// Values codes value columns; its contexts are the dictionary's columns and Pairs.
	Values *column.Model
	// Pairs have contexts of their own in Values, after those of the columns. They are ordered.
	Pairs []Pair
	// Periods are the lattices of the locations' clocks, by location; those without one are left out.
	Periods []column.LocationPeriod
	// Predictions are those of columns, by column; those coded as differences to the value before are left out.
	Predictions []predict.Prediction
	// Texts is what the texts of slices share, nil if they share nothing.
	Texts *text.Dictionary

	contexts    *contexts
	predictions predict.Set
}

// The contexts of the structure model are first those of Successors, for the shapes of tokens; as many, by the shape of the token
// itself, for counts less one; and then
//
//	0  number of tokens of a run
//	1  number of phases of a run; 0 without a lattice
//	2  number of events of a run that have a residual
//	3  events of a phase, less 1; not of the last one of a run
//	4  number of zero bits that a phase ends in, at most 40
//	5  phase >> number of its zero bits
//	6  number of shares of a slice in the roster
//	7  location of a share, less the one before it in the slice and 1 (the first: location)
//	8  events of a share, less 1
//	9  number of an event with a residual in its run, less the one before it and 1 (the first: number)
const (
	contextTokens = iota
	contextPhases
	contextResiduals
	contextPhaseEvents
	contextShift
	contextPhase
	contextShares
	contextGap
	contextEvents
	contextResidual
	headContexts
)

// A slice block is
//
//	uvarint  number of the slice
//	uvarint  lane
//	uvarint  epoch
//	varint   start
//	uvarint  end - start
//	bytes    text: the bytes of all values of type Text and Bytes, a text
//	bytes    structure: a chain, coded by the structure model, of
//	         runs: their numbers of tokens, then of phases, then of events with residuals
//	         tokens of all runs: shape and count less one of each
//	         heads: events of phases; zero bits of phases; phases; events with residuals
//	uvarint  number of bytes of the values of group 0
//	uvarint  of group 1
//	uvarint  of group 2
//	rest     values of the groups 0 to 3, coded by the value model, context by context; no byte of a group without values
//
// The runs are those that the roster says.
const sliceSection = "slice block"

// FitStatistics chooses the statistics of the drafts of a group, and arranges their values for them. The dictionary has a number
// of columns, and tells infos of them. Contexts are looked at as each tells.
func FitStatistics(group []*Draft, columns int, infos []shape.ColumnInfo, periods []column.LocationPeriod, each column.Each) *Statistics {
	predictions := choosePredictions(group, columns, infos)
	pairs := worthPairs(group, columns, fitPairs(group, columns), infos)
	t := buildStatistics(group, columns, pairs, each)
	t.Periods = periods
	t.setPredictions(predictions)
	t.Texts = packTexts(group)
	return t
}

// packTexts stores the texts of the drafts of a group, and returns what they share.
func packTexts(group []*Draft) *text.Dictionary {
	raw := make([][]byte, len(group))
	for i, d := range group {
		raw[i] = d.Text
	}
	packed, shared := text.Pack(raw)
	for i, d := range group {
		d.packed = packed[i]
	}
	return shared
}

func (t *Statistics) setPredictions(all []predict.Prediction) {
	t.Predictions, t.predictions = all, predict.NewSet(t.contexts.columns, all)
}

// buildStatistics makes the statistics of a group whose raw values are coded.
func buildStatistics(group []*Draft, columns int, pairs []Pair, each column.Each) *Statistics {
	t := &Statistics{Pairs: pairs, contexts: newContexts(columns, pairs)}
	t.Successors, t.Roster = fitSuccessors(group), newRoster(group)
	structure, values := column.NewBuilder(t.structureContexts()), column.NewBuilder(t.contexts.all)
	values.Divide()
	values.Beside(each)
	f := flatteners.Get().(*flattener)
	defer flatteners.Put(f)
	for _, d := range group {
		structure.Add(f.byContext(&d.Block, t))
		d.arrange(t.contexts)
		values.Take(d.counts, d.values)
	}
	structure.Add(t.Roster.flatten(f, t.base()))
	t.Structure, t.Values = structure.Build(), values.Build()
	return t
}

// base returns the first context of the structure model that is not one of tokens.
func (t *TokenStatistics) base() int { return 2 * t.Successors.contexts() }

func (t *TokenStatistics) structureContexts() int { return t.base() + headContexts }

// Append appends the statistics' bytes:
//
//	pairs       of a column with what came before, and divisions of contexts
//	periods     of the locations' clocks
//	predictions of the columns
//	successors  the shapes that have a context for what follows on them
//	bytes       structure model
//	bytes       roster
//	bytes       dictionary of texts, a text
//	rest        value model
func (t *Statistics) Append(dst []byte) []byte {
	dst = appendPairs(dst, t.Pairs, t.Values.Divisions())
	dst = column.AppendPeriods(dst, t.Periods)
	dst = predict.Append(dst, t.Predictions)
	dst = t.Successors.append(dst)
	dst = format.AppendBytes(dst, t.Structure.Append(nil))
	dst = format.AppendBytes(dst, t.Roster.append(nil, t.Structure, t.base()))
	dst = format.AppendBytes(dst, t.Texts.Append(nil))
	return t.Values.Append(dst)
}

// modelSection is the section that errors of statistics name.
const modelSection = "model block"

// ParseStatistics reads what Append wrote.
func ParseStatistics(b []byte, limits format.Limits) (*Statistics, error) {
	r := format.NewDecoder(modelSection, b)
	pairs, divisions := readPairs(r)
	t := &Statistics{Pairs: pairs, Periods: column.ReadPeriods(r), Predictions: predict.Read(r)}
	err := t.parse(r, limits)
	if err != nil {
		return nil, err
	}
	if t.Texts = text.ReadDictionary(r); r.Err() != nil {
		return nil, r.Err()
	}
	if t.Values, err = column.ParseModel(r.Take(r.Len())); err != nil {
		return nil, err
	}
	if !t.Values.Divide(divisions) {
		return nil, format.Corruptf(modelSection, -1, "divisions of contexts that the model does not have, or into too many bins")
	}
	columns := t.Values.Undivided() - len(t.Pairs)
	if n := len(t.Pairs); columns < 1 || n > 0 && int(t.Pairs[n-1].Column) >= columns {
		return nil, format.Corruptf(modelSection, -1, "pairs of contexts that the model does not have")
	}
	if n := len(t.Predictions); n > 0 && int(t.Predictions[n-1].Column) >= columns {
		return nil, format.Corruptf(modelSection, -1, "predictions of columns that the model does not have")
	}
	t.contexts = newContexts(columns, t.Pairs)
	t.setPredictions(t.Predictions)
	return t, nil
}

// ParseTokenStatistics reads of what Append wrote the part that structure needs. It does not look at the model of values.
func ParseTokenStatistics(b []byte, limits format.Limits) (*TokenStatistics, error) {
	r := format.NewDecoder(modelSection, b)
	readPairs(r)
	column.ReadPeriods(r)
	predict.Read(r)
	t := &TokenStatistics{}
	if err := t.parse(r, limits); err != nil {
		return nil, err
	}
	return t, nil
}

// parse reads successors, the structure model and the roster.
func (t *TokenStatistics) parse(r *format.Decoder, limits format.Limits) (err error) {
	t.Successors = readSuccessors(r)
	structure := r.Bytes()
	roster := format.NewDecoder(modelSection, r.Bytes())
	if r.Err() != nil {
		return r.Err()
	}
	if t.Structure, err = column.ParseModel(structure); err != nil {
		return err
	}
	if t.Structure.Contexts() != t.structureContexts() {
		return format.Corruptf(modelSection, -1, "%d contexts of structure, should be %d", t.Structure.Contexts(), t.structureContexts())
	}
	t.Roster = readRoster(roster, t.Structure, t.base(), limits.WithDefaults())
	return roster.Err()
}

// AppendBlock appends the bytes of a slice whose draft has these statistics. The dictionary tells infos of the columns.
func AppendBlock(dst []byte, d *Draft, t *Statistics, infos []shape.ColumnInfo) []byte {
	f := flatteners.Get().(*flattener)
	defer flatteners.Put(f)
	s := &d.Block
	dst = format.AppendUvarint(dst, s.Number)
	dst = format.AppendUvarint(dst, uint64(s.Lane))
	dst = format.AppendUvarint(dst, uint64(s.Epoch))
	dst = format.AppendVarint(dst, s.Start)
	dst = format.AppendUvarint(dst, uint64(s.End-s.Start))
	dst = format.AppendBytes(dst, d.packed.Append(nil))
	contexts, values := f.chain(s, t)
	dst = format.AppendBytes(dst, t.Structure.AppendChain(nil, contexts, values))
	return d.appendValues(dst, t, infos)
}
