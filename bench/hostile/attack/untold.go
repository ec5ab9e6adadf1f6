package attack

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
)

// otfCall is a line of an OTF event file that enters or leaves a region, with a short or a long keyword.
var otfCall = regexp.MustCompile(`^(?:ENTER |LEAVE |[EL][0-9a-fX]|[EL]$)`)

// otfEnd is the end of an event file of OTF's library from version 1.12 on: a time and a process without a record.
var otfEnd = regexp.MustCompile(`(?:^|\n)[0-9a-f]+\n\*[0-9a-f]+\n$`)

// pause is the empty block that a compressor of zlib writes when it pauses.
var pause = []byte("\x00\x00\xff\xff")

// untold reports whether nothing tells that an event file of an OTF trace is cut off, as docs/fidelity.md has it: its text is cut
// between a process line and its record, or, if the sound file has no end of its own, behind a line where no process is within a call.
// A compressed file, which the library gives no end either, must be cut where the compressor paused.
func untold(name string, sound, cut []byte) bool {
	if strings.HasSuffix(name, ".events.z") {
		if len(cut) > 0 && !bytes.HasSuffix(cut, pause) {
			return false
		}
		name, sound, cut = strings.TrimSuffix(name, ".z"), inflated(sound), inflated(cut)
	}
	if filepath.Ext(name) != ".events" || len(cut) >= len(sound) || len(cut) > 0 && cut[len(cut)-1] != '\n' {
		return false
	}
	return otfEnd.Match(cut) || !otfEnd.Match(sound) && !withinCalls(cut)
}

// inflated returns the text that comes out of a compressed file before it ends.
func inflated(data []byte) []byte {
	text, _ := inflate(".z", data) // files without an end are an error behind their text
	return text
}

// withinCalls reports whether a process of an OTF event file has calls open at its end.
func withinCalls(text []byte) bool {
	open, process := map[string]int{}, ""
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\n")
		switch {
		case len(line) > 0 && line[0] == '*':
			process = string(line[1:])
		case !otfCall.Match(line):
		case line[0] == 'E':
			open[process]++
		default:
			open[process] = max(0, open[process]-1)
		}
	}
	for _, calls := range open {
		if calls > 0 {
			return true
		}
	}
	return false
}
