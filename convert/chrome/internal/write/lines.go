package write

import (
	"bufio"
	"encoding/json"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// lines writes events as JSON, one on a line.
type lines struct {
	w          *bufio.Writer
	b          []byte // the line in the making
	resolution uint64
	defs       *trace.Definitions
	byID       map[uint64]int
	list       []thread
	told       map[int]bool // processes whose names are written
	kept       *numbers     // what places were called in a file of trace events; nil for other traces
	some       bool         // events are written
	err        error
}

// thread is a location. Numbers are those of the order of definition, so that viewers show them in that order, or those that they had in a
// file of trace events.
type thread struct {
	id, process uint64
	index       int    // of the process
	pid, tid    string // as JSON, "" if there is none
	first, told bool   // it is the first of its process; its name is written
}

// threads numbers locations and processes.
func (l *lines) threads(ids []uint64, defs *trace.Definitions) {
	type process struct {
		id      uint64
		defined bool
	}
	l.defs, l.byID, l.told = defs, map[uint64]int{}, map[int]bool{}
	pids := map[process]int{}
	for i, location := range ids {
		id, ok := defs.Process(location)
		pid, known := pids[process{id, ok}]
		if !known {
			pid = len(pids)
			pids[process{id, ok}] = pid
		}
		l.byID[location] = i
		l.list = append(l.list, thread{id: location, process: id, index: pid, pid: strconv.Itoa(pid), tid: strconv.Itoa(i), first: !known})
	}
	if l.kept != nil && !l.kept.number(l.list) {
		l.kept = nil
	}
}

// sharesProcess returns the number of a location that is not the first of its process. Counters of trace events have names that tell them
// apart already.
func (l *lines) sharesProcess(location uint64) (tid uint64, ok bool) {
	i := l.byID[location]
	return uint64(i), !l.list[i].first && l.kept == nil
}

// begin begins the file.
func (l *lines) begin(meta *trace.Meta) {
	if l.kept != nil && l.members(meta.Properties) {
		for _, p := range meta.LossProperties() {
			l.add(`"` + p.Name + `":` + p.Value + ",")
		}
		l.add("\n\"traceEvents\":[")
		l.flush()
		return
	}
	l.add(`{"displayTimeUnit":"ns","otherData":{"producer":"pando","format":`)
	l.string(meta.Format)
	l.add(`,"ticks_per_second":`)
	l.uint(meta.Resolution)
	l.add(`,"epoch_ticks":`)
	l.uint(meta.Epoch)
	for _, p := range meta.LossProperties() {
		l.add(`,"` + p.Name + `":` + p.Value)
	}
	l.add("},\n\"traceEvents\":[")
	l.flush()
}

// end ends the file.
func (l *lines) end() error {
	l.add("\n]}\n")
	l.flush()
	if l.err != nil {
		return l.err
	}
	return l.w.Flush()
}

func (l *lines) flush() {
	if l.err == nil {
		_, l.err = l.w.Write(l.b)
	}
	l.b = l.b[:0]
}

// open begins an event; the names of its process and thread come before the first one there.
func (l *lines) open(phase byte, location uint64, ticks int64) {
	i := l.byID[location]
	if t := &l.list[i]; !t.told {
		t.told = true
		l.introduce(i, t)
	}
	l.head(phase, i)
	l.add(`,"ts":`)
	l.b = appendMicroseconds(l.b, ticks, l.resolution)
}

func (l *lines) head(phase byte, i int) {
	if l.some {
		l.add(",")
	}
	l.some = true
	l.add("\n{\"ph\":\"")
	l.b = append(l.b, phase)
	l.add(`"`)
	if t := &l.list[i]; t.pid != "" {
		l.add(`,"pid":` + t.pid)
	}
	if t := &l.list[i]; t.tid != "" {
		l.add(`,"tid":` + t.tid)
	}
}

// introduce writes the names of a thread, and of its process before the first of its threads.
func (l *lines) introduce(i int, t *thread) {
	if l.kept != nil {
		l.introduceKept(i, t)
		return
	}
	tell := func(what, key, value string) { l.metadata(i, what, `{"`+key+`":`+value+`}`) }
	if name := l.defs.Name(trace.SpaceLocationGroup, t.process); !l.told[t.index] {
		l.told[t.index] = true
		if name != "" {
			tell("process_name", "name", string(AppendString(nil, name)))
		}
		tell("process_sort_index", "sort_index", strconv.Itoa(t.index))
	}
	if name := l.defs.Name(trace.SpaceLocation, t.id); name != "" {
		tell("thread_name", "name", string(AppendString(nil, name)))
	}
	tell("thread_sort_index", "sort_index", strconv.Itoa(i))
}

// metadata writes what there is to tell of a place.
func (l *lines) metadata(i int, name, args string) {
	l.head('M', i)
	l.add(`,"name":`)
	l.string(name)
	l.add(`,"args":` + args)
	l.close()
}

// close ends an event.
func (l *lines) close() {
	l.add("}")
	l.flush()
}

func (l *lines) add(s string)    { l.b = append(l.b, s...) }
func (l *lines) uint(v uint64)   { l.b = strconv.AppendUint(l.b, v, 10) }
func (l *lines) string(s string) { l.b = AppendString(l.b, s) }

// args writes the arguments of an event, given its members.
func (l *lines) args(members []byte) {
	l.add(`,"args":{`)
	l.b = append(l.b, members...)
	l.add(`}`)
}

// nameOf writes the name of a region and its category, if it has one.
func (l *lines) nameOf(defs *trace.Definitions, region uint64, cat string) {
	l.add(`,"name":`)
	l.string(defs.Name(trace.SpaceRegion, region))
	if cat != "" {
		l.add(`,"cat":`)
		l.string(cat)
	}
}

// categorised writes the name of a category, and what stands in brackets behind it as the category.
func (l *lines) categorised(name, format string) {
	cat := ""
	if at := strings.LastIndex(name, " ["); format == form.FormatName && at >= 0 && strings.HasSuffix(name, "]") {
		name, cat = name[:at], name[at+2:len(name)-1]
	}
	l.add(`,"name":`)
	l.string(name)
	if cat != "" {
		l.add(`,"cat":`)
		l.string(cat)
	}
}

// appendMicroseconds appends a time in microseconds: exactly if that takes 9 digits behind the point or less, and with
// three at least.
func appendMicroseconds(dst []byte, ticks int64, resolution uint64) []byte {
	t := uint64(ticks)
	if ticks < 0 {
		dst, t = append(dst, '-'), -t
	}
	whole, rest := muldiv(t, 1_000_000, max(resolution, 1))
	frac, rest := muldiv(rest, scan.FracUnit, max(resolution, 1))
	if rest > max(resolution, 1)/2 {
		frac++
	}
	if frac == scan.FracUnit {
		whole, frac = whole+1, 0
	}
	dst = append(strconv.AppendUint(dst, whole, 10), '.')
	digits := scan.FracDigits
	for digits > 3 && frac%10 == 0 {
		frac /= 10
		digits--
	}
	for p := scan.Powers[digits-1]; p > frac && p > 1; p /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, frac, 10)
}

// muldiv returns a·b/c and what is left. What does not fit becomes the greatest number.
func muldiv(a, b, c uint64) (quotient, rest uint64) {
	high, low := bits.Mul64(a, b)
	if high >= c {
		return math.MaxUint64, 0
	}
	return bits.Div64(high, low, c)
}

// appendDouble appends a double so that it is read back as one; JSON has no infinities.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	for _, c := range dst[from:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// appendJSON appends what is JSON already; what turns out not to be becomes a string.
func appendJSON(dst, s []byte) []byte {
	if json.Valid(s) {
		return append(dst, s...)
	}
	return AppendString(dst, string(s))
}

const hexDigits = "0123456789abcdef"

// AppendString appends a JSON string.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}
