package columnar

import (
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// files is a trace of two locations that read and write.
func files() *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	p := t.Process("p")
	t.Define(trace.KindIoRegularFile, 4, t.String("/tmp/data"), none)
	t.Define(trace.KindIoHandle, 7, t.String("data"), 4, 0, 0, none, none)
	t.Define(trace.KindIoHandle, 8, none, none, 0, 0, none, none)
	a, b := t.Location(1, p), t.Location(2, p)
	a.Append(trace.KindIoOperationBegin, 10, 7, 1, 0, 4096, 1)
	a.Append(trace.KindIoOperationBegin, 12, 7, 0, 0, 100, 2)
	a.Append(trace.KindIoOperationComplete, 20, 7, 99, 2)
	a.Append(trace.KindIoOperationComplete, 30, 7, 4096, 1)
	b.Append(trace.KindIoOperationBegin, 11, 8, 2, 0, trace.Undefined, 1)
	b.Append(trace.KindIoOperationBegin, 13, 7, 1, 0, 8, 9)
	b.Append(trace.KindIoOperationCancelled, 25, 8, 1)
	b.Append(trace.KindFileOperation, 26, 4, 3, 2, 0, 512, 5)
	b.Append(trace.KindFileOperationBegin, 40, 6)
	b.Append(trace.KindFileOperationEnd, 50, 4, 6, 3, 3, 0, 64)
	return t
}

var ioColumnsShown = []string{
	"location", "operation", "handle", "handle_name", "file", "file_name", "status", "begin_ns", "end_ns", "duration_ns", "requested_bytes", "bytes",
}

func shownColumns(t *testing.T, c *contents, columns []string) string {
	t.Helper()
	out := &contents{columns: columns}
	for i := range c.rows {
		var row []string
		for _, name := range columns {
			row = append(row, c.column(t, name)[i])
		}
		out.rows = append(out.rows, row)
	}
	return shown(out)
}

func TestIo(t *testing.T) {
	r := storedIn(t, files(), 2)
	head := strings.Join(ioColumnsShown, " ") + "\n"
	all := head + `1 READ 7 data 4 /tmp/data complete 2 10 8 100 99
2 FLUSH 8 - - - cancelled 1 15 14 - -
2 READ - - 4 /tmp/data complete 16 21 5 - 512
1 WRITE 7 data 4 /tmp/data complete 0 20 20 4096 4096
2 WRITE - - 4 /tmp/data complete 30 40 10 - 64
2 WRITE 7 data 4 /tmp/data open 3 - - 8 -
`
	if got := shownColumns(t, exported(t, r, "io", Options{Format: Parquet}), ioColumnsShown); got != all {
		t.Errorf("got:\n%swant:\n%s", got, all)
	}
	// The begin of what ends in a window is found, wherever it lies.
	part := head + "1 WRITE 7 data 4 /tmp/data complete 0 20 20 4096 4096\n"
	if got := shownColumns(t, exported(t, r, "io", Options{Format: Arrow, From: 28, To: 40}), ioColumnsShown); got != part {
		t.Errorf("got:\n%swant:\n%s", got, part)
	}
}

// Collective operations have the same numbers in all windows, and the begins of parts that end in a window are found.
func TestCollectivesOfWindows(t *testing.T) {
	r := stored(t, bundled(t, "otf2.patched.mg.S.4.unknown-id"))
	whole := exported(t, r, "collective_ranks", Options{Format: Arrow})
	rows := map[string][]string{}
	begins, ends := whole.column(t, "begin_ticks"), whole.column(t, "end_ticks")
	for i, event := range whole.column(t, "end_event") {
		rows[event] = whole.rows[i]
	}
	from := r.Info().First + (number64(t, begins[len(begins)/2])+number64(t, ends[len(begins)/2]))/2
	part := exported(t, r, "collective_ranks", Options{Format: Arrow, From: from, To: r.Info().Last + 1})
	if len(part.rows) == 0 || len(part.rows) == len(whole.rows) {
		t.Fatalf("%d of %d parts in the window", len(part.rows), len(whole.rows))
	}
	cut := 0
	for i, event := range part.column(t, "end_event") {
		for col, name := range part.columns {
			if part.rows[i][col] != rows[event][col] && !strings.HasPrefix(name, "wait_") {
				t.Errorf("event %s: %s is %s in the window, %s in the whole trace", event, name, part.rows[i][col], rows[event][col])
			}
		}
		if number64(t, part.column(t, "begin_ticks")[i])+r.Info().First < from {
			cut++
		}
	}
	if cut == 0 {
		t.Error("no part begins before the window")
	}
}

// TestCollectivesSummary holds the table against the totals of a window.
func TestCollectivesSummary(t *testing.T) {
	r := stored(t, bundled(t, "otf2.mg.S.16.skew"))
	from := (r.Info().First + r.Info().Last) / 2
	sum, err := r.Window(from, r.Info().Last+1).Summary()
	if err != nil {
		t.Fatal(err)
	}
	count, sent := map[string]uint64{}, map[string]uint64{}
	for _, c := range sum.Collectives {
		key := integer(c.Location) + " " + trace.EnumCollectiveOp.Format(c.Operation)
		count[key] += c.Count
		sent[key] += c.Sent.Lo
	}
	part := exported(t, r, "collective_ranks", Options{Format: Arrow, From: from, To: r.Info().Last + 1})
	operations, locations, bytes := part.column(t, "operation"), part.column(t, "location"), part.column(t, "sent_bytes")
	for i := range operations {
		key := locations[i] + " " + operations[i]
		count[key]--
		sent[key] -= uint64(number64(t, bytes[i]))
	}
	for key, n := range count {
		if n != 0 || sent[key] != 0 {
			t.Errorf("%s: %d operations and %d bytes are missing in the table", key, int64(n), int64(sent[key]))
		}
	}
}

// TestCollectivesThatDoNotBlock: ranks complete operations in another order than they began them in, others block meanwhile, one is never
// completed, and one was never begun.
func TestCollectivesThatDoNotBlock(t *testing.T) {
	const barrier, broadcast, reduce = 0, 1, 12
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	src.Location(0, src.Process("rank 0"))
	src.Location(1, src.Process("rank 1"))
	world := src.Comm(src.CommLocations(0, 1))
	for rank := range uint64(2) {
		b := src.Events(rank)
		done := func(at int64, operation, request uint64) {
			b.Append(trace.KindNonBlockingCollectiveComplete, at, operation, world, none, 8, 4, request)
		}
		b.Append(trace.KindNonBlockingCollectiveRequest, 10, 1)
		b.Append(trace.KindNonBlockingCollectiveRequest, 11+int64(rank), 2)
		b.Append(trace.KindMpiCollectiveBegin, 20)
		b.Append(trace.KindMpiCollectiveEnd, 25, barrier, world, none, 0, 0)
		b.Append(trace.KindNonBlockingCollectiveRequest, 27, 7)
		if rank == 0 {
			done(30, broadcast, 1)
			done(31, reduce, 2)
		} else {
			done(32, reduce, 2)
			done(33, broadcast, 1)
			done(34, broadcast, 99)
		}
	}
	r, shows := storedIn(t, src, 2), []string{"number", "blocking", "operation", "communicator_rank", "begin_ticks", "end_ticks", "sent_bytes"}
	late := `number blocking operation communicator_rank begin_ticks end_ticks sent_bytes
1 false REDUCE 0 1 21 8
1 false REDUCE 1 2 22 8
0 false BCAST 0 0 20 8
0 false BCAST 1 0 23 8
2 false BCAST 1 - 24 8
`
	whole := strings.Replace(late, "bytes\n", "bytes\n0 true BARRIER 0 10 15 0\n0 true BARRIER 1 10 15 0\n", 1)
	if got := shownColumns(t, exported(t, r, "collective_ranks", Options{Format: Arrow}), shows); got != whole {
		t.Errorf("got:\n%swant:\n%s", got, whole)
	}
	if got := shownColumns(t, exported(t, r, "collective_ranks", Options{Format: Arrow, From: 28, To: 40}), shows); got != late {
		t.Errorf("window, got:\n%swant:\n%s", got, late)
	}
}
