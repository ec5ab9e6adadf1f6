package trace

// Meta says what a trace is as a whole.
type Meta struct {
	// Format is the name of the format the trace came from ("OTF2"), empty if it was made by a program.
	Format string
	// Resolution is the number of ticks per second.
	Resolution uint64
	// Epoch is the instant of tick 0 in the source's own time, in ticks.
	Epoch uint64
	// Properties are free names and values, in order; names of a format begin with its name ("otf2.creator").
	Properties []Property
	// Kinds is the table of the kinds that occur; nil means [Standard].
	Kinds *Table
}

// Table returns the table of the trace's kinds.
func (m *Meta) Table() *Table {
	if m.Kinds == nil {
		return Standard
	}
	return m.Kinds
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
}

// Stream gives the records of one stream.
type Stream interface {
	// Next empties b and fills it with the next records, at most max of them. It returns io.EOF, and an empty
	// batch, after the last. An error is final: the next call returns it again.
	Next(b *Batch, max int) error
	// Close gives the stream's resources back. It may be called at any time.
	Close() error
}

// Source is a trace that can be read. Streams are independent of each other: they may be opened in any order, several
// times, and read from different goroutines. The methods themselves are called from one goroutine.
type Source interface {
	// Meta describes the trace. It does not change.
	Meta() *Meta
	// Definitions returns the log of definitions from index `from` on. Formats that define things late return more
	// when asked again after the streams were read.
	Definitions(from int) ([]Record, error)
	// Streams lists all streams. Each location has an event stream, also if it is empty.
	Streams() []StreamInfo
	// Open starts to read a stream from its begin.
	Open(id StreamID) (Stream, error)
	// Warnings lists what was found odd so far, counted by kind.
	Warnings() []Warning
	// Close gives the source's resources back.
	Close() error
}

// Warning is something odd but bearable in a source, with the number of times it was seen.
type Warning struct {
	// Kind is a short constant name of what was seen ("unknown record").
	Kind  string
	Count uint64
	// Example says where it was seen first.
	Example string
}
