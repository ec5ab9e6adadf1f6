package chrome

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// firstKeys are what known writers begin an object with, besides the events.
var firstKeys = []string{
	"traceEvents", "displayTimeUnit", "otherData", "metadata", "schemaVersion", "systemTraceEvents", "stackFrames", "samples",
	"beginningOfTime", "traceName", "controllerTraceDataKey", "powerTraceAsString",
}

// Detect reports whether a file that begins with prefix holds trace events: a list of objects that have a phase, or an object
// of which the begin looks like one with traceEvents. It may be compressed.
func Detect(prefix []byte) bool {
	if isGzip(prefix) {
		prefix = unpackedPrefix(prefix)
	}
	s := scan{b: bytes.TrimPrefix(prefix, byteOrderMark)}
	switch s.peek() {
	case '[':
		s.i++
		return s.peek() == '{' && eventLike(s.b[s.i:])
	case '{':
		return bytes.Contains(s.b, []byte(`"traceEvents"`)) || beginsLikeTrace(s)
	}
	return false
}

// unpackedPrefix returns what the begin of a compressed file says.
func unpackedPrefix(prefix []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(prefix))
	if err != nil {
		return nil
	}
	const most = 4096
	b, _ := io.ReadAll(io.LimitReader(z, most)) // the end is missing
	return b
}

// eventLike reports whether an object, or the begin of one, is an event.
func eventLike(b []byte) bool {
	s := scan{b: b}
	known := 0
	err := s.members(func(key, _ []byte) error {
		switch string(key) {
		case `"ph"`:
			known = 2
		case `"name"`, `"cat"`, `"ts"`, `"pid"`, `"tid"`:
			known++
		}
		return nil
	})
	return known >= 2 && (err == nil || err == errShort)
}

func beginsLikeTrace(s scan) bool {
	s.i++
	s.peek()
	key, err := s.key()
	if err != nil {
		return false
	}
	for _, k := range firstKeys {
		if string(key) == `"`+k+`"` {
			return true
		}
	}
	return false
}
