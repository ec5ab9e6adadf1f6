package account

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// SpacePart is what bytes of a file are for, by and large.
type SpacePart string

const (
	// SpaceStructure is what happened in which order: dictionaries of shapes, tokens, and what codes them.
	SpaceStructure SpacePart = "structure"
	// SpaceTimes is the times of events.
	SpaceTimes SpacePart = "times"
	// SpaceValues is all other values.
	SpaceValues SpacePart = "values"
	// SpaceModels is the statistics by which times and values are coded.
	SpaceModels SpacePart = "models"
	// SpaceIndex is what makes windows quick to find: the directory, and what crosses the borders of slices.
	SpaceIndex SpacePart = "index"
	// SpaceRecords is what is no event: definitions, auxiliary records, and what is said of the trace as a whole.
	SpaceRecords SpacePart = "records"
	// SpaceFraming is what holds the blocks: header, frames with their checksums, footer.
	SpaceFraming SpacePart = "framing"
	// SpaceUnknown is blocks of kinds that this program does not know.
	SpaceUnknown SpacePart = "unknown"
)

// SpaceLine says how many bytes of a file are for one thing.
type SpaceLine struct {
	Part  SpacePart
	What  string
	Bytes int64
}

// SpaceUsage tells where every byte of a file goes.
type SpaceUsage struct {
	// Lines are ordered by size. They add up to FileBytes.
	Lines     []SpaceLine
	FileBytes int64
}

// byteUse is what bytes are for.
type byteUse struct {
	part SpacePart
	what string
}

// blockUses says what blocks are for that are not divided any further.
var blockUses = map[format.BlockKind]byteUse{
	format.BlockMeta:           {SpaceRecords, "meta data"},
	format.BlockLocations:      {SpaceRecords, "ids of locations"},
	format.BlockLocationTotals: {SpaceRecords, "totals of locations"},
	format.BlockAnnotations:    {SpaceRecords, "annotations"},
	format.BlockDefinitions:    {SpaceRecords, "definitions"},
	format.BlockAuxiliary:      {SpaceRecords, "auxiliary records"},
	format.BlockTotals:         {SpaceRecords, "totals"},
	format.BlockKinds:          {SpaceRecords, "kinds of records"},
	format.BlockDictionary:     {SpaceStructure, "dictionaries"},
	format.BlockCalls:          {SpaceIndex, "spanning calls"},
	format.BlockMessages:       {SpaceIndex, "spanning messages"},
	format.BlockUnmatched:      {SpaceIndex, "unmatched ends of messages"},
	format.BlockSummary:        {SpaceIndex, "summaries"},
	format.BlockBins:           {SpaceIndex, "bins"},
	format.BlockHashes:         {SpaceIndex, "hashes of structure"},
	format.BlockMarks:          {SpaceIndex, "marks of ends of messages"},
	format.BlockPairs:          {SpaceIndex, "spanning pairs of events"},
	format.BlockPostings:       {SpaceIndex, "postings"},
	format.BlockPage:           {SpaceIndex, "directory pages"},
	format.BlockRoot:           {SpaceIndex, "directory root"},
}

// Measure reads the whole file, block by block, and tells what each byte is for. The values of a slice share one stream of
// bits: it is divided by what each value costs, minus the logarithm of its bin's frequency and the bits of its offset.
// progress counts bytes read.
func Measure(r *read.File, progress trace.Progress) (*SpaceUsage, error) {
	r = r.Along()
	a := accountant{r: r, sums: map[byteUse]uint64{}, columns: map[shape.ColumnUse]uint64{}}
	a.add(byteUse{SpaceFraming, "header"}, format.HeaderSize<<fraction)
	a.add(byteUse{SpaceFraming, "footer"}, format.FooterSize<<fraction)
	if err := r.Walk(progress, a.block); err != nil {
		return nil, err
	}
	return a.report()
}

// fraction is the number of binary digits behind the point of sums of bytes, so that what takes less than a byte of each
// block is not lost.
const fraction = 16

// accountant adds up what bytes are for, in units of 2^-16 bytes.
type accountant struct {
	r       *read.File
	sums    map[byteUse]uint64
	columns map[shape.ColumnUse]uint64 // times and values
}

func (a *accountant) add(u byteUse, amount uint64) {
	if amount > 0 { // what takes nothing has no line
		a.sums[u] += amount
	}
}

func (a *accountant) block(f *format.Frame, ref format.Ref) error {
	a.add(byteUse{SpaceFraming, "frames of blocks"}, format.FrameSize<<fraction)
	stored := uint64(f.Stored) << fraction
	switch f.Kind {
	case format.BlockSlice:
		return a.slice(stored, ref)
	case format.BlockModel:
		return a.model(stored, ref)
	}
	u, ok := blockUses[f.Kind]
	if !ok {
		u = byteUse{SpaceUnknown, fmt.Sprintf("blocks of kind %d", f.Kind)}
	}
	a.add(u, stored)
	return nil
}

var modelUses = []byteUse{
	{SpaceStructure, "models of tokens"}, {SpaceStructure, "rosters of runs"}, {SpaceValues, "dictionaries of texts"}, {SpaceModels, "bins of values"}, {SpaceModels, "contexts, clocks and predictions"},
}

func (a *accountant) model(stored uint64, ref format.Ref) error {
	b, err := a.r.Block(format.BlockModel, ref)
	if err != nil {
		return err
	}
	_, rest, err := layout.ReadGroupHead(b)
	if err != nil {
		return err
	}
	t, err := slice.ParseStatistics(rest, a.r.Limits())
	if err != nil {
		return err
	}
	z := t.Sizes()
	others := max(len(b)-z.Tokens-z.Roster-z.Texts-z.Values, 0)
	for i, share := range Apportion(stored, []uint64{uint64(z.Tokens), uint64(z.Roster), uint64(z.Texts), uint64(z.Values), uint64(others)}) {
		a.add(modelUses[i], share)
	}
	return nil
}

var sliceUses = []byteUse{{SpaceStructure, "heads of slices"}, {SpaceValues, "texts"}, {SpaceStructure, "tokens and phases"}}

func (a *accountant) slice(stored uint64, ref format.Ref) error {
	e, err := a.r.DecodeAt(ref)
	if err != nil {
		return err
	}
	t, err := a.r.Statistics(a.r.Root().GroupOf(e.Number), e.Lane)
	if err != nil {
		return err
	}
	z := e.Sizes
	shares := Apportion(stored, []uint64{uint64(z.Head), uint64(z.Text), uint64(z.Structure), uint64(z.Values)})
	for i, u := range sliceUses {
		a.add(u, shares[i])
	}
	costs, err := e.ColumnCosts(t)
	if err != nil {
		return err
	}
	uses := e.Dictionary.Uses()
	for column, share := range Apportion(shares[len(sliceUses)], costs) {
		if share > 0 {
			a.columns[uses[column]] += share
		}
	}
	return nil
}

// columnUse names what a column is for.
func (a *accountant) columnUse(u shape.ColumnUse) byteUse {
	switch u.Of {
	case shape.UseTime:
		return byteUse{SpaceTimes, a.spec(u.Kind).Name}
	case shape.UseField:
		spec := a.spec(u.Kind)
		return byteUse{SpaceValues, spec.Name + " " + spec.Fields[u.Field].Name}
	case shape.UseAttribute:
		return byteUse{SpaceValues, "attributes"}
	case shape.UseResidual:
		return byteUse{SpaceTimes, "residuals of source times"}
	}
	return byteUse{SpaceValues, "columns shared by several"}
}

// spec returns the specification of a kind; a dictionary has no leaves of kinds without one.
func (a *accountant) spec(k trace.Kind) *trace.Spec { return a.r.Meta().Kinds.Spec(k) }

// report rounds the sums to bytes. That they add up to the file is not taken for granted.
func (a *accountant) report() (*SpaceUsage, error) {
	report := &SpaceUsage{FileBytes: a.r.Size()}
	for u, n := range a.columns {
		a.add(a.columnUse(u), n)
	}
	var uses []byteUse
	for u := range a.sums {
		uses = append(uses, u)
	}
	slices.SortFunc(uses, func(x, y byteUse) int {
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.what, y.what))
	})
	var weights []uint64
	sum := uint64(0)
	for _, u := range uses {
		weights = append(weights, a.sums[u])
		sum += a.sums[u]
	}
	if sum != uint64(a.r.Size())<<fraction {
		return nil, format.At(format.Corruptf("file", -1, "its blocks have %d bytes, the file has %d", sum>>fraction, a.r.Size()), a.r.Name(), -1)
	}
	for i, n := range Apportion(uint64(a.r.Size()), weights) {
		report.Lines = append(report.Lines, SpaceLine{uses[i].part, uses[i].what, int64(n)})
	}
	slices.SortStableFunc(report.Lines, func(x, y SpaceLine) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return report, nil
}

// Apportion divides an amount in proportion to weights, by the method of the largest remainder: the parts are whole and
// add up. Of equal remainders the first ones get more. Without any weight all get the same.
func Apportion(amount uint64, weights []uint64) []uint64 {
	sum := uint64(0)
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		weights, sum = slices.Repeat([]uint64{1}, len(weights)), uint64(len(weights))
	}
	parts, rests, order := make([]uint64, len(weights)), make([]uint64, len(weights)), make([]int, len(weights))
	left := amount
	for i, w := range weights {
		hi, lo := bits.Mul64(amount, w)
		parts[i], rests[i] = bits.Div64(hi, lo, sum)
		left -= parts[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rests[j], rests[i]) })
	for _, i := range order[:left] {
		parts[i]++
	}
	return parts
}
