package otf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// writer writes random traces: all records, in both spellings, with blanks wherever they may stand, and references to what is
// not defined, too.
type writer struct {
	*rand.Rand
	files map[string]*strings.Builder // by the ends of their names
	out   *strings.Builder

	streams   map[uint64][]uint64 // processes of streams
	processes []uint64
	local     bool // streams define things of their own
}

// ids are those that definitions have and records refer to; the last ones are never defined.
var ids = []uint64{1, 2, 3, 4, 0x4d, 0xf4240, 0xffffff}

func randomTrace(seed uint64) map[string]string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 7)), files: map[string]*strings.Builder{}, streams: map[uint64][]uint64{}}
	w.local = w.IntN(2) == 0
	next := uint64(1)
	for s := range 1 + w.IntN(3) {
		id := uint64(1 + 9*s)
		for range 1 + w.IntN(3) {
			w.streams[id] = append(w.streams[id], next)
			w.processes = append(w.processes, next)
			next += 1 + w.Uint64N(3)*0xffff
		}
	}
	w.index()
	w.definitions(0)
	for id := range w.streams {
		if w.local && w.IntN(2) == 0 {
			w.definitions(id)
		}
	}
	for id, processes := range w.streams {
		w.timed(id, ".events", processes, w.event)
		if w.IntN(2) == 0 {
			w.timed(id, ".snaps", processes, w.snapshot)
		}
		if w.IntN(2) == 0 {
			w.timed(id, ".stats", processes, w.statistics)
		}
	}
	w.markers()
	texts := map[string]string{}
	for end, b := range w.files {
		texts[end] = b.String()
	}
	return texts
}

func (w *writer) file(end string) {
	if w.files[end] == nil {
		w.files[end] = &strings.Builder{}
	}
	w.out = w.files[end]
}

func (w *writer) index() {
	w.file(".otf")
	for id := uint64(1); id < 30; id++ {
		if list := w.streams[id]; list != nil {
			fmt.Fprintf(w.out, "%x:", id)
			for i, p := range list {
				if i > 0 {
					w.out.WriteString(",")
				}
				fmt.Fprintf(w.out, "%x", p)
			}
			w.out.WriteString("\n")
		}
	}
}

// blank writes nothing, or white space.
func (w *writer) blank(kinds ...string) {
	if w.IntN(6) == 0 {
		w.out.WriteString(kinds[w.IntN(len(kinds))])
	}
}

// line writes a record: keywords as "LONG|SHORT", in one of their spellings, numbers, strings and lists. There is white space wherever
// otfprint takes it.
func (w *writer) line(parts ...any) {
	for i, p := range parts {
		switch p := p.(type) {
		case string:
			spellings := strings.Split(p, "|")
			n := w.IntN(len(spellings))
			if i > 0 && n == 0 && len(spellings) > 1 { // a long keyword
				w.blank(" ")
			}
			w.out.WriteString(spellings[n])
		case quotedText:
			w.blank(" ", "\t")
			fmt.Fprintf(w.out, "\"%s\"", string(p))
		case uint64:
			w.blank(" ", "\t", "  ")
			fmt.Fprintf(w.out, "%x", p)
		case []uint64:
			for _, v := range p {
				fmt.Fprintf(w.out, "%x", v)
				w.blank(" ")
				w.out.WriteString(",")
			}
		}
	}
	w.out.WriteString("\n")
}

type quotedText string

func (w *writer) text() quotedText {
	return quotedText([]string{"", "a", "MPI_COMM_WORLD", "two words", "process", "KEY 1", "x.y/z"}[w.IntN(7)])
}

func (w *writer) id() uint64  { return ids[w.IntN(len(ids))] }
func (w *writer) u32() uint64 { return uint64(w.Uint32()) >> w.IntN(32) }
func (w *writer) u64() uint64 { return w.Uint64() >> w.IntN(64) }

func (w *writer) process() uint64 {
	if w.IntN(10) == 0 {
		return 0x7777 // not defined
	}
	return w.processes[w.IntN(len(w.processes))]
}

func (w *writer) members() (list []uint64) {
	for _, p := range w.processes {
		if w.IntN(3) > 0 {
			list = append(list, p)
		}
	}
	w.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// keyValues writes attributes of the next record, none as a rule.
func (w *writer) keyValues() {
	if w.IntN(5) > 0 {
		return
	}
	for key := range 1 + w.Uint64N(4) {
		if typ := w.Uint64N(12); typ == typeBytes {
			w.bytes(key + 1)
		} else {
			w.line("KEY|K", key+1, "TYPE|Y", typ, "VALUE|V", w.attribute(typ))
		}
	}
}

func (w *writer) attribute(typ uint64) uint64 {
	switch typ {
	case 0:
		return 'A' + w.Uint64N(26)
	case 9:
		return uint64(math.Float32bits(float32(w.NormFloat64())))
	case 10:
		return math.Float64bits(w.NormFloat64())
	}
	return w.u64() & (1<<attributeTypes[typ].bits - 1)
}

func (w *writer) bytes(key uint64) {
	const most = 100
	for left := 1 + w.IntN(350); ; left -= most {
		var part strings.Builder
		for range min(left, most) {
			fmt.Fprintf(&part, "%02x", w.IntN(256))
		}
		w.line("KEY|K", key, "TYPE|Y", uint64(typeBytes), "VALUE|V", part.String(), "LEN|L", uint64(left))
		if left <= most {
			return
		}
	}
}

func (w *writer) definitions(stream uint64) {
	w.file(fmt.Sprintf(".%x.def", stream))
	def := func(parts ...any) {
		w.keyValues()
		w.line(parts...)
	}
	if stream == 0 {
		w.line("DEFVERSION|DV", uint64(1), ".", uint64(12), ".", uint64(5), quotedText("salmon"))
		w.line("DEFUNIQUEID|DUI", w.u64())
		def("DEFCREATOR|DCR", w.text())
		def("DEFTIMERRESOLUTION|DTR", 1+w.u32())
		def("DEFTIMERANGE|DTRG", uint64(0), "TIME|T", w.u32())
		for _, p := range w.processes {
			parent := uint64(0)
			if w.IntN(3) == 0 {
				parent = w.processes[0]
			}
			def("DEFPROCESS|DP", p, "NAME|NM", w.text(), "PARENT|PT|P", parent)
		}
		def("DEFATTRIBUTELIST|DA", uint64(1), "MEMBERS|M", []uint64{1, 4, w.Uint64N(12)})
		def("DEFPROCESSORGROUPATTR|DPGA", w.process(), "VALUE|V", uint64(1))
	}
	def("DEFCOMMENT|DCMT", w.text())
	n := len(ids) - 2
	// otfprint takes the last definition of a counter for all streams: the types of all are the same
	for _, id := range ids[:1+w.IntN(n)] {
		if list := w.members(); list != nil {
			def("DEFPROCESSGROUP|DPG", id, "MEMBERS|M", list, "NAME|NM", w.text())
		} else {
			def("DEFPROCESSGROUP|DPG", id, "MEMBERS  NAME|MNM|MEMBERSNAME", w.text())
		}
		def("DEFFUNCTIONGROUP|DFG", id, "NAME|NM", w.text())
		def("DEFFUNCTION|DF", id, "GROUP|G", w.id(), "NAME|NM|N", w.text(), "SCL|X|S", w.id())
		def("DEFSCLFILE|DSF", id, "NAME|NM", w.text())
		def("DEFSCL|DS", id, "FILE|F", w.id(), "LINE|LN|L", w.u32())
		def("DEFCOLLOP|DCO", id, "NAME|NM", []quotedText{"MPI_Bcast", "MPI_Barrier", "mpi_scan", "Anything"}[w.IntN(4)], "TYPE|Y|T", w.Uint64N(5))
		def("DEFCOUNTERGROUP|DCG", id, "NAME|NM", w.text())
		def("DEFCOUNTER|DCNT", id, "GROUP|G", w.id(), "NAME|NM", w.text(), "PROPERTIES|P", w.Uint64N(16)+32*(id%6), "UNIT|U", w.text())
		def("DEFCOUNTERASSIGNMENTS|DCA", id, "MEMBERS|M", append(w.members(), id))
		def("DEFFILE|DFL", id, "NAME|NM", w.text(), "GROUP|G", w.id())
		def("DEFFILEGROUP|DFLG", id, "NAME|NM", w.text())
		def("DEFKEYVALUE|DK", id, "TYPE|Y", w.Uint64N(12), "NAME|NM", w.text(), "TAG|T", w.text())
		def("DEFPROCESSSUBSTITUTES|DPS", w.process(), "MEMBERS|M", append(w.members(), id))
		def("DEFAUXSAMPLEPOINT|DAUX", w.u32(), "TYPE|Y", w.Uint64N(3))
	}
}

// timed writes records with times and processes, which stand before a record only if they differ, or again.
func (w *writer) timed(stream uint64, ext string, processes []uint64, record func(p uint64)) {
	w.file(fmt.Sprintf(".%x%s", stream, ext))
	clock, last := w.Uint64N(1000), processes[0]
	fmt.Fprintf(w.out, "%x\n*%x\n", clock, last)
	record(last)
	for range w.IntN(400) {
		if w.IntN(50) == 0 {
			w.out.WriteString("\n")
		}
		stamped := w.IntN(2) == 0
		if stamped {
			clock += w.Uint64N(50)
			fmt.Fprintf(w.out, "%x\n", clock)
		}
		if p := processes[w.IntN(len(processes))]; p != last || stamped || w.IntN(2) == 0 { // otfprint wants it behind each time
			fmt.Fprintf(w.out, "*%x\n", p)
			last = p
		}
		record(last)
	}
	fmt.Fprintf(w.out, "%x\n*%x\n", clock, processes[0])
}

// position are the parts of a source location that a record may have.
func (w *writer) position() []any {
	if w.IntN(4) > 0 {
		return nil
	}
	return []any{"SCL|X", 1 + w.Uint64N(5)}
}

func (w *writer) event(p uint64) {
	w.keyValues()
	at := func(parts ...any) { w.line(append(parts, w.position()...)...) }
	switch w.IntN(26) {
	case 0, 1, 2, 3, 4:
		at("ENTER|E", w.id())
	case 5, 6, 7:
		at("LEAVE|L", w.id())
	case 8:
		w.line("LEAVE|L")
	case 9:
		at("SEND|S", w.process(), "LEN|L", w.u32(), "TAG|T", w.u32(), "COMM|C", w.id())
	case 10:
		at("RECEIVE|R", w.process(), "LEN|L", w.u32(), "TAG|T", w.u32(), "COMM|C", w.id()*w.Uint64N(2))
	case 11:
		w.line("COUNTER|CNT", w.id(), "VALUE|V", w.u64())
	case 12:
		at("COLLOP|COP", w.id(), "COMM|C", w.id(), "ROOT|RT", w.process()*w.Uint64N(2), "SENT|S", w.u32(), "RECVD|R", w.u32(), "DUR|D", w.Uint64N(200))
	case 13, 14:
		at("COLLOPBEGIN|COPB", w.id(), "HANDLEID|H", w.Uint64N(9), "COMM|C", w.id(), "ROOT|RT", w.process()*w.Uint64N(2), "SENT|S", w.u64(), "RECVD|R", w.u64())
	case 15:
		w.line("COLLOPEND|COPE", w.Uint64N(9))
	case 16:
		w.line("#EVTCOMMENT|#", w.text())
	case 17:
		w.line([]any{"PROCESSBEGIN|PB", "PROCESSEND|PE", "NOOP|N"}[w.IntN(3)])
	case 18:
		at("FILEOP|F", w.id(), "HANDLEID|H", w.u32(), "OPERATION|OP", w.Uint64N(2048), "BYTES|B", w.u64(), "DUR|D", w.u64())
	case 19:
		at("FILEOPBEGINNEW|FA|FILEOPBEGIN|FB", w.u64())
	case 20:
		at("FILEOPENDNEW|FF", w.id(), "MATCHID|MI", w.u64(), "HANDLEID|H", w.u32(), "OPERATION|OP", w.Uint64N(2048), "BYTES|B", w.u64())
	case 21:
		at("FILEOPEND|FE", w.id(), "HANDLEID|H", w.u64(), "OPERATION|OP", w.Uint64N(2048), "BYTES|B", w.u64())
	case 22:
		at("TRMAPUT|T|URMAPUTRE|U|GRMAGET|G", w.process(), "PROCESS|P", w.process(), "COMM|C", w.id(), "TAG|T", w.u32(), "LEN|L", w.u64())
	case 23:
		at("MRMAEND|M", w.process(), "COMM|C", w.id(), "TAG|T", w.u32())
	case 24:
		w.snapshot(p)
	case 25:
		w.line("XYZ|EA|QUX 12")
	}
}

func (w *writer) snapshot(uint64) {
	at := func(parts ...any) { w.line(append(parts, w.position()...)...) }
	switch w.IntN(8) {
	case 0:
		w.line("TCOMMENT|TC", w.text())
	case 1:
		at("TENTER|TE", w.id(), "OTIME|O", w.u32())
	case 2:
		at("TSEND|TS", w.process(), "OTIME|O", w.u32(), "GROUP|G", w.id(), "TAG|T", w.u32(), "LEN|L", w.u32())
	case 3:
		at("TOPENFILE|TOF", w.id(), "OTIME|O", w.u32(), "HANDLEID|H", w.u32())
	case 4:
		at("TBEGINCOLLOP|TBC", w.u32(), "COLL|CL", w.id(), "HANDLEID|H", w.u64(), "GROUP|G", w.id(), "ROOT|RT", w.process(), "SENT|S", w.u64(), "RECVD|R", w.u64())
	case 5:
		at("TBEGINFILEOP|TBF", w.u32(), "MATCHID|MI", w.u64())
	case 6:
		w.line("TCOLLOPCOUNT|TCOC", w.id(), "COUNT|N", w.u64())
	case 7:
		w.line("TCOUNTER|TCNT", w.u32(), "COUNTER|CNT", w.id(), "VALUE|V", w.u32())
	}
}

func (w *writer) statistics(uint64) {
	w.keyValues()
	sums := []any{"NUMOPEN|NO", w.u64(), "NUMCLOSE|NC", w.u64(), "NUMREAD|NRD", w.u64(), "NUMWRITTEN|NW", w.u64(),
		"NUMSEEK|NSK", w.u64(), "BYTESREAD|BR", w.u64(), "BYTESWRITE|BW", w.u64()}
	ends := []any{"NUMSENT|NS", w.u64(), "NUMRECVD|NR", w.u64(), "SENT|S", w.u64(), "RECVD|R", w.u64()}
	switch w.IntN(7) {
	case 0:
		w.line("SUMCOMMENT|SC", w.text())
	case 1:
		w.line("SUMFUNCTION|SF", w.id(), "COUNT|N", w.u64(), "EXCL|E", w.u64(), "INCL|I", w.u64())
	case 2:
		w.line("SUMFUNCTIONGROUP|SG", w.id(), "COUNT|N", w.u64(), "EXCL|E", w.u64(), "INCL|I", w.u64())
	case 3:
		w.line(append([]any{"SUMMESSAGE|SM", w.process(), "COMM|C", w.id(), "TAG|T", w.u32()}, ends...)...)
	case 4:
		w.line(append([]any{"SUMCOLLMESSAGE|SCO", w.id(), "COLL|CL", w.id()}, ends...)...)
	case 5:
		w.line(append([]any{"SUMFILEOPERATION|SFL", w.id()}, sums...)...)
	case 6:
		w.line(append([]any{"SUMFILEGROUPOPERATION|SFLG", w.id()}, sums...)...)
	}
}

func (w *writer) markers() {
	w.file(".0.marker")
	for range w.IntN(5) {
		w.line("MARKERDEF|MD", w.id(), "NAME|NM", w.text(), "TYPE|Y", w.Uint64N(4))
		w.keyValues()
		w.line("MARKERSPOT|MS", w.id(), "TIME|T", w.u32(), "PROCESS|P", w.process(), "VALUE|V", w.text())
	}
}

// randomTraces calls check for traces of many seeds; failures name the seed.
func randomTraces(t *testing.T, check func(t *testing.T, seed uint64, files map[string]string)) {
	seeds := uint64(30)
	if os.Getenv("PANDO_SOAK") != "" {
		seeds = 100
	}
	for seed := range seeds {
		ok := t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { check(t, seed, randomTrace(seed)) })
		if !ok {
			return
		}
	}
}
