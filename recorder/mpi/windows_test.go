package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// happened is what a run recorded: the words of all events but those of calls, by kind and rank, and the definitions.
type happened struct {
	events      [ranks]map[trace.Kind][][]uint64
	definitions *trace.Definitions
}

func opened(t *testing.T, files []string) *happened {
	t.Helper()
	a, err := recording.Open(files...)
	if err != nil {
		t.Fatal(err)
	}
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	h := &happened{definitions: trace.NewDefinitions(log)}
	rank := 0
	for _, info := range a.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		h.events[rank] = map[trace.Kind][][]uint64{}
		var b trace.Batch
		for err = s.Next(&b, 1000); err == nil; err = s.Next(&b, 1000) {
			for i, k := range b.Kinds {
				if k != trace.KindEnter && k != trace.KindLeave {
					h.events[rank][k] = append(h.events[rank][k], slices.Clone(b.Fields(i)))
				}
			}
		}
		if err != io.EOF {
			t.Fatal(err)
		}
		rank++
	}
	if w := a.Warnings(); len(w) > 0 || rank != ranks {
		t.Errorf("%d ranks, warnings %v", rank, w)
	}
	return h
}

// checkWindows compares with what the program does, by hand.
func checkWindows(t *testing.T, h *happened) {
	var halo uint64
	for id, w := range h.definitions.RmaWindows {
		if h.definitions.Strings[w.Name] == "halo" {
			halo = id
		}
	}
	if halo == 0 || len(h.definitions.RmaWindows) != 4 {
		t.Fatalf("windows %v", h.definitions.RmaWindows)
	}
	for rank := range uint64(ranks) {
		got, next, before := h.events[rank], (rank+1)%ranks, (rank+ranks-1)%ranks
		for k, n := range map[trace.Kind]int{
			trace.KindRmaWinCreate: 4, trace.KindRmaWinDestroy: 4, trace.KindRmaCollectiveBegin: 10, trace.KindRmaCollectiveEnd: 10, trace.KindRmaSync: 1,
			trace.KindRmaPut: 1 + 300 + 1 + 1, trace.KindRmaGet: 3, trace.KindRmaAtomic: 6, trace.KindRmaGroupSync: 12,
			// What a local flush ends, and what has a request, ends here; all else there.
			trace.KindRmaOpCompleteNonBlocking: 1 + 3 + 4, trace.KindRmaOpCompleteRemote: 303 + 3 + 6 - 8,
		} {
			if len(got[k]) != n {
				t.Errorf("rank %d: %d events of kind %d, not %d", rank, len(got[k]), k, n)
			}
		}
		checkOperations(t, got, halo, next)
		for i, want := range [][]uint64{{0, 0}, {1, 0}} {
			lock, unlock := []uint64{halo, next, 0, 1 - want[0]}, []uint64{halo, next, 0}
			if !slices.Equal(got[trace.KindRmaRequestLock][i], lock) || !slices.Equal(got[trace.KindRmaAcquireLock][i], lock) || !slices.Equal(got[trace.KindRmaReleaseLock][i], unlock) {
				t.Errorf("rank %d: locks %v, %v", rank, got[trace.KindRmaAcquireLock], got[trace.KindRmaReleaseLock])
			}
		}
		if all := got[trace.KindRmaAcquireLock][2]; all[1] != 0xffffffff {
			t.Errorf("rank %d: all ranks are locked as %v", rank, all)
		}
		// Each epoch: post, start, complete, wait.
		for i, w := range got[trace.KindRmaGroupSync] {
			partner, level := []uint64{before, next, next, before}[i%4], []uint64{1, 1, 3, 3}[i%4]
			if members := h.definitions.GroupLists[w[2]].Members; !slices.Equal(members, []uint64{partner}) || w[0] != level || w[1] != halo {
				t.Errorf("rank %d: %d. synchronisation %v with %v", rank, i, w, members)
			}
		}
	}
}

// checkOperations wants each operation to have a peer and one end.
func checkOperations(t *testing.T, got map[trace.Kind][][]uint64, window, next uint64) {
	t.Helper()
	ends := map[uint64]int{}
	for _, k := range []trace.Kind{trace.KindRmaPut, trace.KindRmaGet, trace.KindRmaAtomic} {
		for _, w := range got[k] {
			if w[0] != window || w[1] != next || k != trace.KindRmaAtomic && w[2] != 8 {
				t.Errorf("kind %d: %v", k, w)
			}
			ends[w[len(w)-1]]--
		}
	}
	for _, k := range []trace.Kind{trace.KindRmaOpCompleteNonBlocking, trace.KindRmaOpCompleteRemote} {
		for _, w := range got[k] {
			ends[w[1]]++
		}
	}
	for id, n := range ends {
		if n != 0 {
			t.Errorf("operation %d: %d ends more than begins", id, n)
		}
	}
	var atomic [][3]uint64
	for _, w := range got[trace.KindRmaAtomic] {
		atomic = append(atomic, [3]uint64{w[2], w[3], w[4]})
	}
	if want := [][3]uint64{{0, 8, 0}, {7, 8, 8}, {3, 16, 8}, {7, 0, 8}, {0, 8, 0}, {7, 8, 8}}; !slices.Equal(atomic, want) {
		t.Errorf("atomic operations %v, not %v", atomic, want)
	}
}

// checkBetween: messages between even and odd ranks name ranks of the other group.
func checkBetween(t *testing.T, h *happened) {
	named, inter := map[string]uint64{}, 0
	for _, id := range slices.Sorted(maps.Keys(h.definitions.Comms)) {
		c := h.definitions.Comms[id]
		if !c.Inter {
			continue
		}
		inter++
		a, b := h.definitions.GroupLists[c.Group].Members, h.definitions.GroupLists[c.Group2].Members
		if fmt.Sprint(a, b) != "[0 2] [1 3]" {
			t.Errorf("communicator %d is between %v and %v", id, a, b)
		}
		named[h.definitions.Name(trace.SpaceComm, id)] = id
	}
	name, ok := named["even and odd"]
	if !ok || inter != 2 {
		t.Fatalf("%d communicators between groups: %v", inter, named)
	}
	for rank := range uint64(ranks) {
		me := rank / 2
		sent, received := h.events[rank][trace.KindMpiSend], h.events[rank][trace.KindMpiRecv]
		want := []uint64{1 - me, name, 12, 4}
		if len(sent) != 2 || len(received) != 2 || !slices.Equal(sent[0], want) || !slices.Equal(received[0], want) || sent[1][0] != me || sent[1][1] == name {
			t.Errorf("rank %d: sent %v, received %v", rank, sent, received)
		}
		if n := len(h.events[rank][trace.KindMpiCollectiveEnd]); n != 0 {
			t.Errorf("rank %d: %d collective operations between groups", rank, n)
		}
	}
}

// checkSpawn: spawned processes record nothing, and nobody waits for them in vain.
func checkSpawn(t *testing.T, r *run) {
	if r.calls[0]["MPI_Comm_spawn"] != 1 || r.calls[0]["MPI_Intercomm_merge"] != 1 || r.calls[0]["MPI_Allreduce"] != 1 || len(r.sent) != 0 || r.warnings != "[]" {
		t.Errorf("%v, messages %v, warnings %s", r.calls[0], r.sent, r.warnings)
	}
}
