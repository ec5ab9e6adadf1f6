package otf

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// noteUnlisted warns of what tells that an index is cut off: its last line has no end, or, where it is cut at the end of a line, there are
// event files that it does not name.
func (a *Archive) noteUnlisted(x *index) error {
	if !strings.HasSuffix(x.text, "\n") {
		a.context.warnings.Add("index whose last line has no end", "%s", a.stem+".otf")
	}
	entries, err := os.ReadDir(filepath.Dir(a.stem))
	if err != nil {
		return err
	}
	listed := x.ids()
	for _, e := range entries {
		stream, ok := eventStream(e.Name(), filepath.Base(a.stem))
		if _, found := slices.BinarySearch(listed, stream); ok && !found {
			a.context.warnings.Add("event file that the index does not name", "%s", filepath.Join(filepath.Dir(a.stem), e.Name()))
		}
	}
	return nil
}

// eventStream returns the stream that a file of a trace has the events of; ok is false if it has none.
func eventStream(name, trace string) (stream uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, trace+".")
	id, isEvents := strings.CutSuffix(strings.TrimSuffix(rest, ".z"), ".events")
	stream, err := strconv.ParseUint(id, 16, 64)
	return stream, ok && isEvents && err == nil
}
