package main

import (
	"fmt"
	"strings"
)

// operation is a collective operation: its number in OTF2, and the bytes that a rank sends to all ranks and receives from them, itself among them. So
// the sums of both over all ranks are equal.
type operation struct {
	number         int
	root           bool
	sent, received string
}

// Counts and types that MPI ignores, as those beside MPI_IN_PLACE, are not looked at.
const (
	everyone = "(int64_t)pando_mpi_ranks(comm)"
	me       = "pando_mpi_rank(comm)"
	isRoot   = "root == " + me
)

func size(count, datatype string) string { return "pando_mpi_bytes(" + count + ", " + datatype + ")" }

func times(n, count string) string { return n + " * " + count }

func if_(condition, yes, no string) string { return condition + " ? " + yes + " : " + no }

func total(counts string) string { return "pando_mpi_total(" + counts + ", comm)" }

func operations() map[string]operation {
	own, all := size("count", "datatype"), size(times(everyone, "count"), "datatype")
	received := size(times(everyone, "recvcount"), "recvtype")
	each := func(counts, types string) string {
		return "pando_mpi_each(" + counts + ", " + types + ", comm, LANGUAGE)"
	}
	inPlace := func(yes, no string) string { return if_("pando_mpi_in_place(sendbuf)", yes, no) }
	receivedV, receivedW := size(total("recvcounts"), "recvtype"), each("recvcounts", "recvtypes")
	scattered := size("recvcount", "recvtype")
	return map[string]operation{
		"Barrier":              {0, false, "0", "0"},
		"Bcast":                {1, true, if_(isRoot, all, "0"), own},
		"Gather":               {2, true, if_(isRoot, size("recvcount", "recvtype"), size("sendcount", "sendtype")), if_(isRoot, received, "0")},
		"Gatherv":              {3, true, if_(isRoot, size("recvcounts["+me+"]", "recvtype"), size("sendcount", "sendtype")), if_(isRoot, receivedV, "0")},
		"Scatter":              {4, true, if_(isRoot, size(times(everyone, "sendcount"), "sendtype"), "0"), if_(isRoot, size("sendcount", "sendtype"), scattered)},
		"Scatterv":             {5, true, if_(isRoot, size(total("sendcounts"), "sendtype"), "0"), if_(isRoot, size("sendcounts["+me+"]", "sendtype"), scattered)},
		"Allgather":            {6, false, received, received},
		"Allgatherv":           {7, false, size(times(everyone, "recvcounts["+me+"]"), "recvtype"), receivedV},
		"Alltoall":             {8, false, received, received},
		"Alltoallv":            {9, false, inPlace(receivedV, size(total("sendcounts"), "sendtype")), receivedV},
		"Alltoallw":            {10, false, inPlace(receivedW, each("sendcounts", "sendtypes")), receivedW},
		"Allreduce":            {11, false, all, all},
		"Reduce":               {12, true, own, if_(isRoot, all, "0")},
		"Reduce_scatter":       {13, false, size(total("recvcounts"), "datatype"), size(times(everyone, "recvcounts["+me+"]"), "datatype")},
		"Scan":                 {14, false, size(everyone+" - "+me, "datatype") + " * (uint64_t)count", size(me+" + 1", "datatype") + " * (uint64_t)count"},
		"Exscan":               {15, false, size(everyone+" - 1 - "+me, "datatype") + " * (uint64_t)count", size(me, "datatype") + " * (uint64_t)count"},
		"Reduce_scatter_block": {16, false, size(times(everyone, "recvcount"), "datatype"), size(times(everyone, "recvcount"), "datatype")},
	}
}

var collectives = operations()

// collective returns what is done for a collective operation, blocking or not; nil for others.
func collective(f *function) *action {
	o, blocking := collectives[f.name]
	if !blocking && strings.HasPrefix(f.name, "I") {
		name := strings.ToUpper(f.name[1:2]) + f.name[2:]
		var ok bool
		if o, ok = collectives[name]; !ok {
			return nil
		}
	} else if !blocking {
		return nil
	}
	root := "UINT32_MAX"
	if o.root {
		root = "(uint32_t)root"
	}
	what := fmt.Sprintf("%d, number, %s, %s, %s", o.number, root, o.sent, o.received)
	const number = "uint32_t number = pando_mpi_collective(comm);"
	if blocking {
		return &action{
			before: number + " if (number != PANDO_MPI_NONE) pando_collective_begin();",
			after:  "if (number != PANDO_MPI_NONE) pando_collective_end(" + what + ");",
		}
	}
	return &action{
		before: number + " pando_mpi_request r; r.what = 0; if (number != PANDO_MPI_NONE) r = pando_mpi_icollective(" + what + ");",
		after:  "pando_mpi_remember(&r, pando_mpi_handle(request, LANGUAGE));",
	}
}
