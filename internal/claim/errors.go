package claim

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// Process is who writes an output. The zero value is one that is not known.
type Process struct {
	PID     int
	Command string // its command line, arguments separated by blanks; as the process gave it, so not to be printed as it is
}

// String names the process.
func (p Process) String() string {
	switch {
	case p.PID == 0:
		return "another process"
	case p.PID == os.Getpid():
		return "this process"
	case p.Command == "":
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d (%s)", p.PID, shown(p.Command))
}

// shownRunes bounds how much of a command line an error tells.
const shownRunes = 200

// shown returns a text without what a terminal would obey, and not too long.
func shown(text string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(text, "?")))
	if len(runes) > shownRunes {
		return string(runes[:shownRunes]) + "..."
	}
	return string(runes)
}

// BusyError says that an output is being written already.
type BusyError struct {
	Part   string // the file or folder that is being written
	Writer Process
}

func (e *BusyError) Error() string { return e.Writer.String() + " is writing it" }

// busy is the error of who wants to write an output that another one writes.
func busy(path, part string, who Process) error {
	return &fs.PathError{Op: "create", Path: path, Err: &BusyError{Part: part, Writer: who}}
}

// LeftoverError says that a writer has left an unfinished output. [Options.Discard] removes it.
type LeftoverError struct {
	Part   string // the file or folder that is in the way
	Bytes  int64  // its size; of a folder it means nothing
	Folder bool
	Unsure bool // the file system has no locks: its writer may be at work
}

func (e *LeftoverError) Error() string {
	what := fmt.Sprintf("%s, %d bytes,", e.Part, e.Bytes)
	if e.Folder {
		what = "the folder " + e.Part
	}
	if e.Unsure {
		return what + " is being written by another process, or was left by one that is gone"
	}
	return what + " was left by a writer that is gone"
}
