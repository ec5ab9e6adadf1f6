package trace

import (
	"slices"
	"strings"
	"testing"
)

// placed makes definitions of locations: names, types and groups, with a group of those that take part in MPI.
type placed struct{ log []Record }

func (p *placed) text(s string) uint64 {
	id := uint64(len(p.log) + 1000)
	r := Record{Kind: KindString, Words: []uint64{id, 0}}
	r.Words[1] = r.PutText(s)
	p.log = append(p.log, r)
	return id
}

func (p *placed) process(id uint64, name string, typ, creator uint64) {
	p.log = append(p.log, Record{Kind: KindLocationGroup, Words: []uint64{id, p.text(name), typ, Undefined >> 32, creator}})
}

func (p *placed) location(id uint64, name string, typ, process uint64) {
	p.log = append(p.log, Record{Kind: KindLocation, Words: []uint64{id, p.text(name), typ, 0, process}})
}

func (p *placed) mpi(members ...uint64) {
	words := append([]uint64{77, p.text("MPI"), uint64(len(members))}, members...)
	p.log = append(p.log, Record{Kind: KindGroup, Words: append(words, groupCommLocations, groupsOfMPI, 0)})
}

// TestPlaces: locations are called by rank, thread and stream; without ranks they keep their names; no two are called alike.
func TestPlaces(t *testing.T) {
	const none = Undefined >> 32
	for _, c := range []struct {
		name string
		make func(*placed)
		want []string
	}{
		{"a thread for each rank", func(p *placed) {
			p.process(0, "MPI Rank 0", 1, none)
			p.process(1, "MPI Rank 1", 1, none)
			p.location(5, "Master thread", 1, 1)
			p.location(4, "Master thread", 1, 0)
			p.mpi(4, 5)
		}, []string{"rank 1", "rank 0"}},
		{"threads, counters and streams", func(p *placed) {
			p.process(0, "MPI Rank 0", 1, none)
			p.process(1, "MPI Rank 1", 1, none)
			p.process(2, "GPU 3", 2, 1)
			p.location(10, "Master thread", 1, 0)
			p.location(11, "OMP thread 1", 1, 0)
			p.location(12, "CUDA[1:7]", 2, 0)
			p.location(13, "power", 3, 0)
			p.location(14, "Master thread", 1, 1)
			p.location(15, "stream 9", 2, 2)
			p.mpi(10, 14)
		}, []string{"rank 0 thread 0", "rank 0 thread 1", "rank 0 gpu 1 stream 7", "rank 0 power", "rank 1", "rank 1 gpu 3 stream 9"}},
		{"accelerators alone", func(p *placed) {
			p.process(0, "A100", 2, none)
			p.process(1, "A100", 2, none)
			p.location(1, "a", 2, 0)
			p.location(2, "b", 2, 0)
			p.location(3, "c", 2, 1)
		}, []string{"gpu 0 stream 0", "gpu 0 stream 1", "gpu 1 stream 0"}},
		{"equal numbers", func(p *placed) {
			p.process(0, "GPU 1", 2, none)
			p.process(1, "GPU 1", 2, none)
			p.location(1, "stream 7", 2, 0)
			p.location(2, "stream 7", 2, 1)
		}, []string{"stream 7 #1", "stream 7 #2"}},
		{"no ranks", func(p *placed) {
			p.process(0, "P0", 1, none)
			p.process(1, "P1", 1, none)
			p.location(1, "main", 1, 0)
			p.location(2, "worker", 1, 0)
			p.location(3, "main", 1, 1)
			p.location(4, "", 1, 1)
		}, []string{"P0/main", "worker", "P1/main", "location 4"}},
	} {
		p := &placed{}
		c.make(p)
		d := NewDefinitions(p.log)
		var ids []uint64
		for _, l := range d.Locations {
			ids = append(ids, l.ID)
		}
		var got []string
		for _, place := range d.Places(ids) {
			got = append(got, place.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		for _, place := range d.Places(ids) {
			device, _, ok := strings.Cut(place.Label, " stream ")
			if ok && !strings.HasPrefix(place.Label, "stream") && place.DeviceLabel != device || !strings.Contains(place.Label, "stream") && place.DeviceLabel != "" {
				t.Errorf("%s: the device of %q is %q", c.name, place.Label, place.DeviceLabel)
			}
		}
	}
}

// TestOwnActivity: code within a construct of OpenMP is computation, what synchronises is OpenMP.
func TestOwnActivity(t *testing.T) {
	for name, want := range map[string]Activity{
		"!$omp parallel @x.c:5": ActivityComputation, "!$omp for @x.c:5": ActivityComputation, "!$omp implicit barrier @x.c:9": ActivityOpenMP,
		"!$omp task @x.c:9": ActivityComputation, "!$omp create task @x.c:9": ActivityOpenMP, "omp_set_lock": ActivityOpenMP, "MPI_Send": ActivityMPI, "main": ActivityComputation,
	} {
		if got := ClassifyRegion(&Region{}, name).OwnActivity(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
