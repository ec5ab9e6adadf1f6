package read

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// objectKeys are members that known writers give an object with events besides those.
var objectKeys = map[string]bool{
	"traceEvents": true, "displayTimeUnit": true, "otherData": true, "metadata": true, "schemaVersion": true,
	"systemTraceEvents": true, "stackFrames": true, "samples": true, "beginningOfTime": true, "traceName": true,
	"controllerTraceDataKey": true, "powerTraceAsString": true, "deviceProperties": true, "distributedInfo": true,
	"baseTimeNanoseconds": true,
}

// eventKeys are members that events have, and how much each says: a phase alone makes an event, of others it takes two.
var eventKeys = map[string]int{
	"ph": 2, "name": 1, "cat": 1, "ts": 1, "pid": 1, "tid": 1,
	"args": 0, "dur": 0, "tts": 0, "tdur": 0, "id": 0, "id2": 0, "bp": 0, "s": 0, "sf": 0, "stack": 0, "cname": 0, "scope": 0,
}

// Detect reports whether a file that begins with prefix holds trace events: a list of objects that have a phase, or an object
// of which the begin looks like one with traceEvents. It may be compressed.
func Detect(prefix []byte) bool {
	if scan.IsGzip(prefix) {
		prefix = unpackedPrefix(prefix)
	}
	s := scan.Scanner{Text: bytes.TrimPrefix(prefix, scan.ByteOrderMark)}
	switch s.Peek() {
	case '[':
		s.At++
		return firstOf(&s) && eventLike(s)
	case '{':
		return bytes.Contains(s.Text, []byte(`"traceEvents"`)) || beginsLikeTrace(s)
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

// firstOf goes to the first object of a list that has members. Some writers begin with an empty one.
func firstOf(s *scan.Scanner) bool {
	for s.Peek() == '{' {
		at := s.At
		if s.At++; s.Peek() != '}' {
			s.At = at
			return true
		}
		if s.At++; s.Peek() == ',' {
			s.At++
		}
	}
	return false
}

// eventLike reports whether an object, or the begin of one, is an event. Where the text ends within nested arguments, these must
// stand among keys of events alone.
func eventLike(s scan.Scanner) bool {
	known, args, strange := 0, false, false
	end := eachKey(s, func(key string, nested bool) {
		weight, ok := eventKeys[key]
		known += weight
		args = args || nested && key == "args"
		strange = strange || !ok
	})
	return known >= 2 && (end == nil || end == scan.ErrShort) || end == scan.ErrShort && args && !strange
}

func beginsLikeTrace(s scan.Scanner) bool {
	found := false
	_ = eachKey(s, func(key string, _ bool) { found = found || objectKeys[key] }) // the text may end anywhere
	return found
}

// eachKey gives the keys of an object, and whether their values are objects; the last value may not be there as a whole.
func eachKey(s scan.Scanner, give func(key string, nested bool)) error {
	if err := s.Expect('{'); err != nil {
		return err
	}
	for s.Peek() != '}' {
		key, err := s.Key()
		if err != nil {
			return err
		}
		give(string(key[1:len(key)-1]), s.Peek() == '{')
		if _, err := s.Value(); err != nil {
			return err
		}
		if s.Peek() != ',' {
			return s.Expect('}')
		}
		s.At++
	}
	return nil
}
