package clog2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plain is a record as the plain decoder of these tests has it: what is not a field is zero.
type plain struct {
	time                    float64
	comm, rank, thread, typ int32
	ints                    [5]int32
	double                  float64
	texts                   [3]string
	cargo                   [32]byte
}

func (p *plain) equal(o *plain) bool {
	a, b := *p, *o
	same := math.Float64bits(a.time) == math.Float64bits(b.time) && math.Float64bits(a.double) == math.Float64bits(b.double)
	a.time, a.double, b.time, b.double = 0, 0, 0, 0
	return same && a == b
}

// plainFile is a file as the plain decoder has it.
type plainFile struct {
	strings []string // of the preamble
	order   binary.ByteOrder
	records []plain
	entries []plainEntry
}

type plainEntry struct {
	gid          string
	number, host string
	time         float64
	comm, kind   int32
}

// plainFields says where the fields of a record's payload are: int32s, then texts as pairs of bounds.
var plainFields = map[int32]struct {
	ints   []int
	texts  [][2]int
	double int // 0 if there is none, else its position + 1
}{
	2:  {[]int{0, 4, 8}, [][2]int{{16, 40}, {40, 72}, {72, 112}}, 0},
	3:  {[]int{0}, [][2]int{{8, 32}, {32, 64}, {64, 104}}, 0},
	4:  {[]int{0, 4}, [][2]int{{8, 40}}, 0},
	5:  {[]int{0}, nil, 0},
	6:  {[]int{0}, nil, 0},
	7:  {[]int{0, 4, 8, 12, 16}, nil, 0},
	8:  {[]int{0, 4, 8}, nil, 0},
	9:  {[]int{0, 4, 8, 12, 16}, [][2]int{{28, 48}}, 21},
	10: {[]int{0, 4}, [][2]int{{8, 48}}, 0},
	11: {nil, nil, 1},
}

var plainSizes = []int{24, 24, 136, 128, 64, 32, 64, 48, 40, 72, 72, 32}

// readPlain decodes a file in the simplest way: all at once, trusting it.
func readPlain(t testing.TB, path string) *plainFile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &plainFile{strings: strings.Split(string(data[:1024]), "\x00"), order: binary.LittleEndian}
	number := func(i int) int {
		n, err := strconv.Atoi(strings.TrimSpace(f.strings[i]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if strings.TrimSpace(f.strings[2]) == "TRUE" {
		f.order = binary.BigEndian
	}
	block, table := number(6), number(30)*number(31)+number(32)
	for at := 1024; at < table; at += block {
		f.block(data[at : at+block])
	}
	for i := range int(f.int(data[table:])) {
		e := data[table+4+40*i:]
		number, tm, host := f.int(e), f.float(e[4:]), cString(e[12:32])
		f.entries = append(f.entries, plainEntry{fmt.Sprintf("%d-%f-%s", number, tm, host), fmt.Sprint(number), host, tm, f.int(e[32:]), f.int(e[36:])})
	}
	return f
}

func (f *plainFile) int(b []byte) int32     { return int32(f.order.Uint32(b)) }
func (f *plainFile) float(b []byte) float64 { return math.Float64frombits(f.order.Uint64(b)) }
func cString(b []byte) string               { s, _, _ := bytes.Cut(b, []byte{0}); return string(s) }

func (f *plainFile) block(b []byte) {
	for {
		r := plain{time: f.float(b), comm: f.int(b[8:]), rank: f.int(b[12:]), thread: f.int(b[16:]), typ: f.int(b[20:])}
		if r.typ < 2 {
			return
		}
		fields, payload := plainFields[r.typ], b[24:plainSizes[r.typ]]
		for i, at := range fields.ints {
			r.ints[i] = f.int(payload[at:])
		}
		for i, at := range fields.texts {
			r.texts[i] = cString(payload[at[0]:at[1]])
		}
		if fields.double > 0 {
			r.double = f.float(payload[fields.double-1:])
		}
		if r.typ == 6 {
			copy(r.cargo[:], payload[8:])
		}
		f.records = append(f.records, r)
		b = b[plainSizes[r.typ]:]
	}
}

// merged returns the records of a finished file as clog2_print shows them: it takes the communicator of a message's peer
// for its own.
func (f *plainFile) merged() []plain {
	list := slices.Clone(f.records)
	for i := range list {
		if list[i].typ == 7 {
			list[i].ints[1] = list[i].comm
		}
	}
	return list
}

// shown returns the records of one process as clog2_print shows them: with corrected times, and on the local groups of
// intercommunicators.
func (f *plainFile) shown() []plain {
	local, remote := map[int32]int32{}, map[int32]int32{}
	for i, e := range f.entries {
		if e.kind == 0 {
			local[e.comm], remote[e.comm] = f.entries[i+1].comm, f.entries[i+2].comm
		}
	}
	var list []plain
	shift := 0.0
	for _, r := range f.records {
		if r.typ == 11 {
			shift = r.double
			r.double = -shift
		}
		r.time += shift
		if r.typ == 7 {
			r.ints[1] = r.comm
		}
		if l, ok := local[r.comm]; ok && r.typ >= 5 && r.typ <= 7 {
			r.comm, r.ints[1] = l, remote[r.comm]
			if r.typ != 7 {
				r.ints[1] = 0
			}
		}
		list = append(list, r)
	}
	return list
}

var (
	plainTypes = []string{"elog", "eblk", "sdef", "edef", "cdef", "bare", "cago", "msg ", "coll", "comm", "loc ", "shft"}
	plainComms = map[int32]string{0: "CommWorldCreate", 1: "CommSelfCreate", 10: "CommFree", 100: "IntraCommCreate",
		101: "LocalIntraComm", 102: "RemoteIntraComm", 1000: "InterCommCreate"}
	plainKinds = map[int32]string{-1: "Unknown(-1)", 0: "InterComm ", 1: "IntraComm ", 2: "LocalComm ", 3: "RemoteComm"}
)

// print prints the file as clog2_print does.
func (f *plainFile) print(records []plain) string {
	var b strings.Builder
	value := func(i int) string { return strings.TrimSpace(f.strings[2+2*i]) }
	fmt.Fprintf(&b, "%s\nis_big_endian = %s\nis_finalized = %s\nnum_buffered_blocks = %s\nblock_size = %s\n", f.strings[0], value(0), value(1), value(3), value(2))
	for i, title := range []string{"max_comm_world_size", "max_thread_count", "known_eventID_start", "user_eventID_start", "known_solo_eventID_start",
		"user_solo_eventID_start", "known_stateID_count", "user_stateID_count", "known_solo_eventID_count", "user_solo_eventID_count"} {
		fmt.Fprintf(&b, "%s = %s\n", title, value(4+i))
	}
	fmt.Fprintf(&b, "commIDs_table_file_offset = %s\n", f.strings[32])
	for _, e := range f.entries {
		fmt.Fprintf(&b, "GID=%s LID=%d kind=%s\n", e.gid, e.comm, plainKinds[e.kind])
	}
	for i := range records {
		b.WriteString(records[i].print())
	}
	return b.String()
}

func (p *plain) print() string {
	s := fmt.Sprintf("ts=%f icomm=%d rank=%d thd=%d type=%s ", p.time, p.comm, p.rank, p.thread, plainTypes[p.typ])
	switch i, x := p.ints, p.texts; p.typ {
	case 2:
		s += fmt.Sprintf("state=%d s_et=%d e_et=%d color=%s name=%s fmt=%s", i[0], i[1], i[2], x[0], x[1], x[2])
	case 3:
		s += fmt.Sprintf("et=%d color=%s name=%s fmt=%s", i[0], x[0], x[1], x[2])
	case 4:
		s += fmt.Sprintf("et=%d name=%s value=%d", i[0], x[0], i[1])
	case 5:
		s += fmt.Sprintf("et=%d", i[0])
	case 6:
		s += fmt.Sprintf("et=%d bytes=%s", i[0], cString(p.cargo[:]))
	case 7:
		s += fmt.Sprintf("et=%s icomm=%d rank=%d tag=%d sz=%d", map[int32]string{-101: "send", -102: "recv"}[i[0]], i[1], i[2], i[3], i[4])
	case 9:
		s += fmt.Sprintf("et=%-15s icomm=%d rank=%d wrank=%d gcomm=%d-%f-%s", plainComms[i[0]], i[1], i[2], i[3], i[4], p.double, x[0])
	case 11:
		s += fmt.Sprintf("shift=%f", p.double)
	}
	return s + "\n"
}
