package record

import (
	"encoding/binary"
	"sync/atomic"
)

// Marker is the number of a kind of markers of a recorder, as Recorder.Marker returns it.
type Marker uint32

// Severity says how much a marker matters; the numbers are those of OTF2.
type Severity uint8

// Severities of markers.
const (
	SeverityNone   Severity = 0
	SeverityLow    Severity = 1
	SeverityMedium Severity = 2
	SeverityHigh   Severity = 3
)

// Texts of markers are kept as long as the program runs. There are at most maxTexts of them, in the textShare-th part of the recording.
const (
	maxTexts  = 1 << 15
	textShare = 8
)

type markerSpec struct {
	group, category string
	severity        Severity
}

// texts are those of markers.
type texts struct {
	numbers map[string]uint32
	size    int // of their definitions, in bytes
}

// Marker returns the number of a kind of markers, which it defines if it is new. Programs that show traces list markers by group and category. It takes a lock: call it once for each kind.
func (r *Recorder) Marker(group, category string, severity Severity) Marker {
	return numberOf(r, &r.defs.markers, markerSpec{group, category, severity}, defineMarker, func(p []byte) []byte {
		return appendText(appendText(append(p, byte(severity)), group), category)
	})
}

// Mark records a marker at this moment, with a text of at most 2,048 bytes. It is for what happens now and then: it takes a lock. Each text is kept once, and as long as the program runs; there may be 32,768 of them, in an eighth
// of the budget. Markers with other texts are left out, and counted. Like a message, a marker protects the calls around it.
func (l *Location) Mark(marker Marker, text string) {
	if atomic.LoadUint32(l.attention) != 0 && l.attend().paused {
		l.leftEvent()
		return
	}
	if l.off {
		return
	}
	number, ok := l.r.text(text[:min(len(text), maxName)])
	if !ok {
		*l.counter(locationAtMarkers)++
		return
	}
	l.protect(kindMarker, uint64(marker), uint64(number))
}

// text returns the number of a text, which it defines if it is new. It reports whether there is room for it.
func (r *Recorder) text(text string) (number uint32, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.defs.texts
	if number, ok = t.numbers[text]; ok {
		return number, true
	}
	number = uint32(len(t.numbers))
	p := appendText(binary.AppendUvarint(nil, uint64(number)), text)
	size := t.size + definitionHead + len(p)
	if r.closed || number == maxTexts || size > len(r.mem)/textShare || !r.define(defineText, p) {
		return 0, false
	}
	if t.numbers == nil {
		t.numbers = map[string]uint32{}
	}
	t.numbers[text], t.size = number, size
	return number, true
}
