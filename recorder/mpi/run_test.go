package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

const ranks = 4

// run is what a run of a program under the library recorded.
type run struct {
	calls    [ranks]map[string]int
	sent     map[channel][]uint64 // bytes, in order
	received map[channel][]uint64
	opened   map[trace.Kind]int // requests
	closed   map[trace.Kind]int
	bytes    [ranks]map[uint64][][2]uint64 // sent and received by collective operations, of each
	members  map[uint64]string             // of communicators, as ranks of the run
	names    map[uint64]string
	warnings string
}

// channel is where messages keep their order.
type channel struct{ comm, from, to, tag uint64 }

// built is where the libraries are, each of which takes some seconds to build.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pando-mpi")
	if err != nil {
		panic(err)
	}
	built = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// library builds the library for an implementation of MPI, unless it is there, and a program.
func library(t *testing.T, implementation, compiler, name string, flags ...string) (lib, program string) {
	t.Helper()
	cc := tracetest.Oracle(t, "mpicc."+implementation)
	lib, program = filepath.Join(built, "libpando-"+implementation+".so"), filepath.Join(t.TempDir(), "program")
	if _, err := os.Stat(lib); err != nil {
		build(t, cc, "-std=c99", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", lib, written(t, built))
	}
	build(t, tracetest.Oracle(t, compiler+"."+implementation), append(flags, "-O1", "-I..", "-o", program, filepath.Join("testdata", name))...)
	return lib, program
}

// written writes the library's source into a folder, and returns its path.
func written(t *testing.T, dir string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "pando_mpi.c"))
	if err == nil {
		err = source(file)
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func build(t *testing.T, compiler string, args ...string) {
	t.Helper()
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// launch returns a command that runs another one on all ranks.
func launch(t *testing.T, implementation string, command ...string) *exec.Cmd {
	t.Helper()
	args := []string{"-n", fmt.Sprint(ranks)}
	for _, m := range implementations {
		if m.name == implementation {
			args = append(args, m.run...)
		}
	}
	cmd := exec.Command(tracetest.Oracle(t, "mpirun."+implementation), append(args, command...)...)
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	return cmd
}

// record runs a program and reads what it recorded.
func record(t *testing.T, implementation, lib, program, what string, killed bool) *run {
	t.Helper()
	return read(t, recorded(t, implementation, lib, program, what, killed))
}

// recorded runs a program and returns its recordings, by rank.
func recorded(t *testing.T, implementation, lib, program, what string, killed bool) (files []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run.d")
	cmd := launch(t, implementation, "env", "LD_PRELOAD="+lib, program, what)
	cmd.Env = append(cmd.Env, "PANDO_DIR="+dir, "PANDO_BUDGET=4M")
	if out, err := cmd.CombinedOutput(); err != nil != killed || !killed && len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	for rank := range ranks {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.pandorec", rank)))
	}
	return files
}

func read(t *testing.T, files []string) *run {
	t.Helper()
	a, err := recording.Open(files...)
	if err != nil {
		t.Fatal(err)
	}
	return readSource(t, a)
}

// readSource reads a trace whose locations are the ranks.
func readSource(t *testing.T, a trace.Source) *run {
	t.Helper()
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{sent: map[channel][]uint64{}, received: map[channel][]uint64{}, opened: map[trace.Kind]int{}, closed: map[trace.Kind]int{}, members: map[uint64]string{}, names: map[uint64]string{}}
	d := trace.NewDefinitions(log)
	groups := map[uint64]string{}
	for _, rec := range log {
		switch rec.Kind {
		case trace.KindGroup:
			groups[rec.Words[0]] = fmt.Sprint(rec.Words[3 : 3+rec.Words[2]])
		case trace.KindComm:
			r.members[rec.Words[0]] = groups[rec.Words[2]]
			r.names[rec.Words[0]] = d.Name(trace.SpaceComm, rec.Words[0])
		}
	}
	rank := 0
	for _, info := range a.Streams() {
		if info.Class == trace.StreamEvents {
			r.stream(t, a, info, rank, d.RegionName)
			rank++
		}
	}
	if rank != ranks {
		t.Fatalf("%d locations", rank)
	}
	r.warnings = fmt.Sprint(a.Warnings())
	return r
}

func (r *run) stream(t *testing.T, a trace.Source, info trace.StreamInfo, rank int, name func(uint64) string) {
	t.Helper()
	s, err := a.Open(info.StreamID)
	if err != nil {
		t.Fatal(err)
	}
	r.calls[rank], r.bytes[rank] = map[string]int{}, map[uint64][][2]uint64{}
	var b trace.Batch
	for {
		if err := s.Next(&b, 1000); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kinds {
			if w := b.Fields(i); k == trace.KindEnter {
				r.calls[rank][name(w[0])]++
			} else {
				r.event(k, uint64(rank), w)
			}
		}
	}
}

// event counts an event. Requests are known by their rank and number.
func (r *run) event(k trace.Kind, rank uint64, w []uint64) {
	switch k {
	case trace.KindMpiSend, trace.KindMpiIsend:
		c := channel{w[1], rank, w[0], w[2]}
		r.sent[c] = append(r.sent[c], w[3])
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		c := channel{w[1], w[0], rank, w[2]}
		r.received[c] = append(r.received[c], w[3])
	case trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete:
		r.bytes[rank][w[0]] = append(r.bytes[rank][w[0]], [2]uint64{w[3], w[4]})
	}
	switch k {
	case trace.KindMpiIsend, trace.KindMpiIrecvRequest, trace.KindNonBlockingCollectiveRequest, trace.KindMpiCollectiveBegin:
		r.opened[k]++
	case trace.KindMpiIsendComplete, trace.KindMpiIrecv, trace.KindMpiRequestCancelled, trace.KindNonBlockingCollectiveComplete, trace.KindMpiCollectiveEnd:
		r.closed[k]++
	}
}

// checkPairs checks that what was sent was received, with the bytes in their order, and what was begun has ended.
func (r *run) checkPairs(t *testing.T) {
	t.Helper()
	total := 0
	local := map[channel][]uint64{} // of receives, the receiver by its rank in the communicator
	for c, bytes := range r.received {
		c.to = r.local(t, c.comm, c.to)
		local[c] = bytes
	}
	for c, bytes := range r.sent {
		c.from = r.local(t, c.comm, c.from)
		if !slices.Equal(bytes, local[c]) {
			t.Errorf("%+v: %v were sent, %v received", c, bytes, local[c])
		}
		total += len(bytes)
	}
	if len(local) != len(r.sent) {
		t.Errorf("%d channels of sends, %d of receives", len(r.sent), len(local))
	}
	for opens, closes := range map[trace.Kind][2]trace.Kind{
		trace.KindMpiIsend:                     {trace.KindMpiIsendComplete},
		trace.KindMpiIrecvRequest:              {trace.KindMpiIrecv, trace.KindMpiRequestCancelled},
		trace.KindNonBlockingCollectiveRequest: {trace.KindNonBlockingCollectiveComplete},
		trace.KindMpiCollectiveBegin:           {trace.KindMpiCollectiveEnd},
	} {
		if r.opened[opens] != r.closed[closes[0]]+r.closed[closes[1]] {
			t.Errorf("%d of kind %d were begun, %d and %d ended", r.opened[opens], opens, r.closed[closes[0]], r.closed[closes[1]])
		}
	}
}

// local is the rank in a communicator of a rank of the run.
func (r *run) local(t *testing.T, comm, rank uint64) uint64 {
	t.Helper()
	at := slices.Index(strings.Fields(strings.Trim(r.members[comm], "[]")), fmt.Sprint(rank))
	if at < 0 {
		t.Fatalf("rank %d is not in communicator %d: %s", rank, comm, r.members[comm])
	}
	return uint64(at)
}

// hasCalls wants calls on each rank.
func (r *run) hasCalls(t *testing.T, want map[string]int) {
	t.Helper()
	for rank := range ranks {
		for name, n := range want {
			if got := r.calls[rank][name]; got != n {
				t.Errorf("rank %d: %d calls of %s, not %d", rank, got, name, n)
			}
		}
	}
}

// hasRing wants the messages of a ring of all ranks.
func (r *run) hasRing(t *testing.T, size uint64) {
	t.Helper()
	for from := range uint64(ranks) {
		for tag := uint64(1); tag <= 3; tag++ {
			if got := r.sent[channel{0, from, (from + 1) % ranks, tag}]; !slices.Equal(got, slices.Repeat([]uint64{size}, 100)) {
				t.Errorf("rank %d has sent %v", from, got)
			}
		}
	}
}

func TestPrograms(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpicc", "ring.c", "-std=c99", "-rdynamic")
			do := func(what string, check func(*testing.T, *run)) {
				t.Run(what, func(t *testing.T) {
					r := record(t, m.name, lib, program, what, what == "killed")
					r.checkPairs(t)
					check(t, r)
				})
			}
			do("ring", checkRing)
			do("many", checkMany)
			do("persistent", checkPersistent)
			do("collectives", func(t *testing.T, r *run) { checkCollectives(t, r, 22) })
			do("communicators", checkCommunicators)
			t.Run("window", func(t *testing.T) { checkWindows(t, opened(t, recorded(t, m.name, lib, program, "window", false))) })
			t.Run("between", func(t *testing.T) { checkBetween(t, opened(t, recorded(t, m.name, lib, program, "between", false))) })
			t.Run("spawn", func(t *testing.T) {
				if out, err := launch(t, m.name, program, "spawn").CombinedOutput(); err != nil {
					t.Skipf("%s cannot spawn processes here: %v, %.200s", m.name, err, out)
				}
				checkSpawn(t, record(t, m.name, lib, program, "spawn", false))
			})
			do("killed", func(t *testing.T, r *run) {
				r.hasRing(t, 8)
				r.hasCalls(t, map[string]int{"MPI_Barrier": 1, "MPI_Finalize": 0})
			})
		})
	}
}

func checkRing(t *testing.T, r *run) {
	r.hasRing(t, 8)
	r.hasCalls(t, map[string]int{
		"MPI_Init": 1, "MPI_Finalize": 1, "MPI_Comm_rank": 2, "MPI_Comm_size": 2, "MPI_Sendrecv": 100, "MPI_Irecv": 100, "MPI_Isend": 200,
		"MPI_Waitall": 100, "MPI_Recv": 100, "work": 1, "MPI_Send": 0, "MPI_Type_size": 0,
	})
	for rank := range ranks {
		if n := r.calls[rank]["MPI_Test"]; n < 100 {
			t.Errorf("rank %d: %d calls of MPI_Test", rank, n)
		}
	}
	if r.warnings != "[]" {
		t.Errorf("warnings %s", r.warnings)
	}
}

func checkMany(t *testing.T, r *run) {
	for from := uint64(1); from < ranks; from++ {
		for tag := range uint64(80) {
			if got := r.received[channel{0, from, 0, tag}]; !slices.Equal(got, []uint64{tag}) {
				t.Errorf("from rank %d with tag %d: %v", from, tag, got)
			}
		}
	}
}

func checkPersistent(t *testing.T, r *run) {
	for from := range uint64(ranks) {
		for tag, n := range map[uint64]int{4: 10, 5: 1, 6: 0, 7: 0} {
			if got := r.sent[channel{0, from, (from + 1) % ranks, tag}]; len(got) != n {
				t.Errorf("from rank %d with tag %d: %v", from, tag, got)
			}
		}
	}
	if n := r.closed[trace.KindMpiRequestCancelled]; n != ranks {
		t.Errorf("%d requests were cancelled", n)
	}
}

// checkCollectives compares the bytes of all ranks with what the program does, by hand: n ranks, integers of 4 bytes, rank r in the v-forms with r + 1 of them.
func checkCollectives(t *testing.T, r *run, operations int) {
	const n, v = ranks, ranks * (ranks + 1) / 2
	want := map[uint64]uint64{ // by operation, of all ranks: what is sent, and received
		0: 0, 1: 4 * (3*n + 2*n), 2: 4 * 2 * n, 3: 4 * v, 4: 4 * 2 * n, 5: 4 * v, 6: 4 * (2*n*n + 2*n*n), 7: 4 * n * v, 8: 4 * 2 * n * n, 9: 4 * (n*v + n*n), 10: 4 * n * v,
		11: 2 * 4 * 5 * n * n, 12: 4 * 5 * n, 13: 4 * n * v, 14: 4 * 2 * v, 15: 4 * 2 * (v - n), 16: 4 * 2 * n * n,
	}
	count := 0
	for operation, bytes := range want {
		var sent, received uint64
		for rank := range ranks {
			for _, b := range r.bytes[rank][operation] {
				sent, received, count = sent+b[0], received+b[1], count+1
			}
		}
		if sent != bytes || received != bytes {
			t.Errorf("operation %d: %d bytes are sent and %d received, not %d", operation, sent, received, bytes)
		}
	}
	if count != operations*ranks {
		t.Errorf("%d operations, not %d on each of %d ranks", count, operations, ranks)
	}
}

// checkCommunicators: each communicator is there with its members in order, and 300 messages of each.
func checkCommunicators(t *testing.T, r *run) {
	messages := map[uint64]int{}
	for c, list := range r.sent {
		messages[c.comm] += len(list)
	}
	got := map[string]int{}
	for comm, members := range r.members {
		if comm == 0 {
			continue
		}
		got[members]++
		n := len(strings.Fields(members))
		if messages[comm] != 300*n {
			t.Errorf("communicator %d of %s has %d messages", comm, members, messages[comm])
		}
	}
	want := map[string]int{
		"[0 1 2 3]": 3, // dup, cart, idup
		"[2 0]":     1, "[3 1]": 1, "[2 0 3 1]": 1, "[0 1]": 3, "[2 3]": 1, "[0]": 1, "[1]": 1, "[2]": 1, "[3]": 1,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("communicators %v, not %v", got, want)
	}
	for comm, members := range r.members {
		if name := map[string]string{"[2 0]": "even ranks", "[3 1]": "odd ranks"}[members]; name != "" && r.names[comm] != name {
			t.Errorf("%s is called %q", members, r.names[comm])
		}
	}
}

func TestFortran(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpif90", "ring.f90", "-fallow-argument-mismatch")
			r := record(t, m.name, lib, program, "", false)
			r.checkPairs(t)
			r.hasRing(t, 8)
			r.hasCalls(t, map[string]int{
				"MPI_Init": 1, "MPI_Finalize": 1, "MPI_Comm_rank": 1, "MPI_Sendrecv": 100, "MPI_Isend": 270, "MPI_Irecv": 170, "MPI_Waitall": 100,
				"MPI_Comm_split": 1, "MPI_Comm_set_name": 1, "MPI_Comm_get_name": 1, "MPI_Bcast": 1, "MPI_Allreduce": 1, "MPI_Alltoallv": 1,
			})
			for rank, want := range map[int][3][2]uint64{0: {{0, 12}, {48, 48}, {32, 32}}, 2: {{24, 12}, {48, 48}, {32, 32}}} {
				got := r.bytes[rank]
				for i, operation := range []uint64{1, 11, 9} {
					if len(got[operation]) != 1 || got[operation][0] != want[i] {
						t.Errorf("rank %d, operation %d: %v, not %v", rank, operation, got[operation], want[i])
					}
				}
			}
			names := 0
			for _, name := range r.names {
				if name == "half of them" {
					names++
				}
			}
			if names != 2 {
				t.Errorf("%d communicators have their name: %v", names, r.names)
			}
		})
	}
}

// The module mpi_f08 calls functions of other names, and leaves error codes out; MPICH's passes descriptors of buffers.
func TestFortran2008(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpif90", "ring08.f90")
			r := record(t, m.name, lib, program, "", false)
			r.checkPairs(t)
			r.hasRing(t, 8)
			r.hasCalls(t, map[string]int{
				"MPI_Init": 1, "MPI_Finalize": 1, "MPI_Comm_rank": 1, "MPI_Sendrecv": 100, "MPI_Isend": 200, "MPI_Irecv": 100, "MPI_Waitall": 100, "MPI_Recv": 100, "MPI_Bcast": 1, "MPI_Allreduce": 1,
			})
			for rank, want := range map[int][2][2]uint64{0: {{0, 8}, {32, 32}}, 1: {{32, 8}, {32, 32}}} {
				for i, operation := range []uint64{1, 11} {
					if got := r.bytes[rank][operation]; len(got) != 1 || got[0] != want[i] {
						t.Errorf("rank %d, operation %d: %v, not %v", rank, operation, got, want[i])
					}
				}
			}
		})
	}
}
