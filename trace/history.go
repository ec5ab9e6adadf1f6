package trace

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
