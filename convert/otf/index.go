package otf

import (
	"bytes"
	"os"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// maxIndex bounds the size of index files, in bytes: a million processes take a tenth of it.
const maxIndex = 100 << 20

// index says which processes each stream has.
type index struct {
	streams []indexed
	text    string // of the file
}

// indexed is a stream of the index.
type indexed struct {
	id        uint64
	processes []uint64
}

// ids returns the streams in order.
func (x *index) ids() (ids []uint64) {
	for _, s := range x.streams {
		ids = append(ids, s.id)
	}
	slices.Sort(ids)
	return ids
}

// Detect reports whether a file that begins with prefix is the index of an OTF trace: lines of a stream, not 0, a
// colon, and processes. A line that prefix cuts off may be anything that can still become one.
func Detect(prefix []byte) bool {
	if isIOFSL(prefix) {
		return true
	}
	lines := 0
	for len(prefix) > 0 {
		line, rest, whole := bytes.Cut(prefix, []byte("\n"))
		stream, processes, ok := bytes.Cut(line, []byte(":"))
		switch {
		case !isNumber(stream) || stream[0] == '0' || !isList(processes):
			return false
		case !ok:
			return lines > 0 && !whole
		}
		lines++
		prefix = rest
	}
	return lines > 0
}

func isNumber(b []byte) bool {
	const most = 8 // digits
	return len(b) > 0 && len(b) <= most && !slices.ContainsFunc(b, func(c byte) bool { return classes[c] >= notDigit })
}

// isList reports whether b is a list of numbers, whose end may be missing.
func isList(b []byte) bool {
	for i, p := range bytes.Split(b, []byte(",")) {
		if !isNumber(p) && (len(p) > 0 || i == 0 && len(b) > 0) {
			return false
		}
	}
	return true
}

// isIOFSL reports whether an index says that the files of all streams are in one.
func isIOFSL(prefix []byte) bool {
	line, _, _ := bytes.Cut(prefix, []byte("\n"))
	parts := bytes.Split(line, []byte(":"))
	return len(parts) == 3 && len(parts[0]) > 1 && parts[0][0] == 'i' && isNumber(parts[0][1:]) && isNumber(parts[1]) && isNumber(parts[2])
}

func readIndex(path string) (*index, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, unreadable(path, 0, err)
	case !info.Mode().IsRegular():
		return nil, corrupt(path, 0, "is not a file")
	case info.Size() > maxIndex:
		return nil, corrupt(path, 0, "an index of %d bytes", info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, 0, err)
	}
	return parseIndex(path, data)
}

// parseIndex reads the content of an index file. Lines without a colon do not count.
func parseIndex(path string, data []byte) (*index, error) {
	if isIOFSL(data) {
		return nil, &trace.SourceError{Format: "otf", File: path, Problem: "a trace in files of all streams at once (IOFSL) is not supported", Class: trace.ErrUnsupported}
	}
	x := &index{text: string(data)}
	streams, processes := map[uint64]bool{}, map[uint64]bool{}
	at := int64(0)
	for line := range bytes.Lines(data) {
		s, problem := parseStream(line)
		for _, p := range s.processes {
			if processes[p] && problem == "" {
				problem = "a process of two streams"
			}
			processes[p] = true
		}
		switch {
		case problem == "" && streams[s.id]:
			problem = "a stream that stands twice"
		case problem == "" && s.id != 0:
			streams[s.id] = true
			x.streams = append(x.streams, s)
		}
		if problem != "" {
			return nil, corrupt(path, at, "%s: %.60q", problem, line)
		}
		at += int64(len(line))
	}
	if len(x.streams) == 0 {
		return nil, corrupt(path, 0, "an index without streams")
	}
	return x, nil
}

// parseStream reads a line of the index; the stream's id is 0 if the line does not count.
func parseStream(line []byte) (s indexed, problem string) {
	if bytes.IndexByte(line, ':') < 0 {
		return s, ""
	}
	sc := scanner{data: append(bytes.Clone(bytes.TrimRight(line, "\r\n")), '\n')}
	s.id = sc.number(32)
	if sc.blanks(); sc.data[sc.pos] != ':' || s.id == 0 || s.id == noID {
		return s, "no stream"
	}
	for sc.data[sc.pos] != '\n' {
		sc.pos++ // the colon, or a comma
		if sc.blanks(); sc.data[sc.pos] == '\n' {
			break
		}
		digit := classes[sc.data[sc.pos]] < notDigit
		s.processes = append(s.processes, sc.number(32))
		if sc.blanks(); !digit || sc.data[sc.pos] != ',' && sc.data[sc.pos] != '\n' {
			return s, "something besides processes"
		}
	}
	if sc.large {
		problem = "a number that is too large"
	}
	return s, problem
}
