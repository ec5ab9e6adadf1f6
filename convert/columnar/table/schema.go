package table

// Type is the type of a column's values.
type Type string

// Types of columns.
const (
	// Int64 is a signed integer.
	Int64 Type = "int64"
	// Double is an IEEE-754 number of 64 bits.
	Double Type = "double"
	// Bool is true or false.
	Bool Type = "bool"
	// Text is a string in UTF-8.
	Text Type = "text"
	// Name is a string in UTF-8 of which a table has few different ones: it is dictionary-encoded.
	Name Type = "name"
)

// Schema describes a table.
type Schema struct {
	// Name is the name of the table, and of its file.
	Name string
	// Doc describes a row.
	Doc     string
	Columns []Column
	// Definitions is true if rows have no time: the table is the same in every window.
	Definitions bool

	// Sorted is the column that rows are ordered by, empty if there is none.
	Sorted    string
	Partition Partitioning
}

// Partitioning names the columns that divide a table into the files of a partitioned export. A table of definitions is one file.
type Partitioning struct {
	Group string   // column with the location group, empty if rows belong to several
	Times []string // columns with times; the earliest time of a row counts
	// Ends is true if a row belongs to two locations; Group is then the location group of the first.
	Ends bool
}

// Column describes a column of a table.
type Column struct {
	Name string
	Type Type
	// Null is true if rows may have no value.
	Null bool
	// Unit is the unit of numbers ("ns", "ticks", "bytes"), empty for ids, counts and other types.
	Unit string
	// Doc is the meaning of the value.
	Doc string

	// Habit helps encoders to choose an encoding.
	Habit Habit
}

// Habit is a tendency of the values of a column.
type Habit uint8

// Habits of columns.
const (
	// Varies is the habit of columns without any.
	Varies Habit = iota
	// Repeats is the habit of few different values.
	Repeats
	// Grows is the habit of values that are mostly a little larger than the one before.
	Grows
)
