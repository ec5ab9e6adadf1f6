package trace

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/pandotrace/pando/trace/annotation"
)

// Meta says what a trace is as a whole.
type Meta struct {
	// Format is the name of the format the trace came from ("OTF2"), empty if it was made by a program.
	Format string
	// Resolution is the number of ticks per second.
	Resolution uint64
	// Epoch is the instant of tick 0 in the source's own time, in ticks. Times before it are negative, and so may be those in the
	// source's own time, see SourceTime.
	Epoch uint64
	// Properties are free names and values, in order; names of a format begin with its name ("otf2.creator").
	Properties []Property
	// History lists the conversions that the trace went through, the first one first.
	History []Conversion
	// Kinds is the table of the kinds that occur; nil means [Standard].
	Kinds *Table
	// Loss says how much less the trace tells than the one it was made of; nil if it tells all.
	Loss *Loss
	// Annotations are what was said of the trace afterwards, in the order of their names.
	Annotations []annotation.Annotation
}

// NotePrefix begins the names of properties that people gave to a trace. Traces are equal whatever is noted of them.
const NotePrefix = "note."

// Table returns the table of the trace's kinds.
func (m *Meta) Table() *Table {
	return cmp.Or(m.Kinds, Standard)
}

// SourceTime returns a time, given in ticks relative to the epoch, in the source's own: a signed number, which may have more than 64 bits.
func (m *Meta) SourceTime(t int64) *big.Int {
	return new(big.Int).Add(new(big.Int).SetUint64(m.Epoch), big.NewInt(t))
}

// Property is a name with a value.
type Property struct{ Name, Value string }

// StreamClass says what the records of a stream are.
type StreamClass uint8

// The numbers of stream classes are part of the file format.
const (
	// StreamEvents is the stream of a location's events, in time order.
	StreamEvents StreamClass = 0
	// StreamLocalDefinitions are definitions that belong to one location: id mappings, clock offsets.
	StreamLocalDefinitions StreamClass = 1
	// StreamSnapshots are records of a location's state at some instants.
	StreamSnapshots StreamClass = 2
	// StreamMarkers are annotations of the whole trace.
	StreamMarkers StreamClass = 3
	// StreamThumbnails are small pictures of the whole trace.
	StreamThumbnails StreamClass = 4
	// StreamStatistics is what a location did in total up to some instants.
	StreamStatistics StreamClass = 5
)

// StreamID names one stream of a trace. Streams that belong to the whole trace have a number instead of a location.
type StreamID struct {
	Class    StreamClass
	Location uint64
}

// StreamInfo is what a source knows of a stream before it is read.
type StreamInfo struct {
	StreamID
	// Records is the number of records if the source knows it, an estimate or 0 if not. Not to be trusted.
	Records uint64
	// Group numbers the streams that are stored together. A reader takes one group after the other and advances the streams of a
	// group in step, always the stream that is furthest behind in time. All streams may be of one group.
	Group uint32
}

// Stream gives the records of one stream.
type Stream interface {
	// Next empties b and fills it with the next records, at most max of them. It returns io.EOF, and an empty
	// batch, after the last. An error is final: the next call returns it again.
	Next(b *Batch, max int) error
	// Close gives the stream's resources back. It may be called at any time.
	Close() error
}

// A Stepper is a Stream that can bound its progress without producing records: Step returns the time up to which the stream is
// complete. Streams whose records lie scattered among those of other streams implement it.
type Stepper interface {
	Stream
	// Step is Next, except that it reads only a little at a time: it may leave b empty, without an error. No later record of the
	// stream is earlier than covered.
	Step(b *Batch, max int) (covered int64, err error)
}

// Step calls the Step method of a Stepper, and Next of any other stream, which must not leave b empty.
func Step(s Stream, b *Batch, max int) (covered int64, err error) {
	if s, ok := s.(Stepper); ok {
		return s.Step(b, max)
	}
	if err := s.Next(b, max); err != nil {
		return 0, err
	}
	if b.Len() == 0 {
		return 0, fmt.Errorf("location %d: the source gave an empty batch", b.Location)
	}
	return b.Times[b.Len()-1], nil
}

// PartialDefiner is a Source that returns its definitions in parts, because all of them at once may take too much memory.
type PartialDefiner interface {
	Source
	// DefinitionsPart returns at most max records of the log of definitions, from index `from` on; none behind the last one.
	DefinitionsPart(from, max int) ([]Record, error)
}

// DefinitionsPart takes a source's DefinitionsPart if it has one, its Definitions otherwise, which may be more than max. There are no
// more, for the time being, when it returns none.
func DefinitionsPart(src Source, from, max int) ([]Record, error) {
	if s, ok := src.(PartialDefiner); ok {
		return s.DefinitionsPart(from, max)
	}
	return src.Definitions(from)
}

// Source is a trace that can be read. Streams are independent of each other: they may be opened in any order, several
// times, and read from different goroutines. The methods themselves are called from one goroutine.
type Source interface {
	// Meta describes the trace. It does not change.
	Meta() *Meta
	// Definitions returns the log of definitions from index `from` on. Formats that define things late return more
	// when asked again after the streams were read.
	Definitions(from int) ([]Record, error)
	// Streams lists all streams. Each location has an event stream, also if it is empty. Formats that do not say which
	// auxiliary streams there are list more when asked again after the event streams were read.
	Streams() []StreamInfo
	// Open starts to read a stream from its begin.
	Open(id StreamID) (Stream, error)
	// Warnings lists what was found odd so far, counted by kind.
	Warnings() []Warning
	// Close gives the source's resources back.
	Close() error
}

// Conversion is one conversion in a trace's history. It says nothing of the trace itself: traces are equal whatever became of them before.
type Conversion struct {
	// Program is the name and the version of the program, Options what its user asked for, as on a command line. Note is
	// anything else: who asked for it, and when.
	Program, Options, Note string
	// Files are those that the program read.
	Files []Files
}

// Files are files of a trace that are called alike.
type Files struct {
	// Name is the file's name without its folder, or a pattern of the names of Count files.
	Name  string
	Count uint64
	// Bytes is the size of all.
	Bytes uint64
	// Oldest and Newest are the times of their last modifications, in seconds since 1970.
	Oldest, Newest int64
}
