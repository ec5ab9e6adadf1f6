package main

import "strings"

// action is what a wrapper does besides the call: before it, and after it if it has succeeded. The code uses the parameters by their names in C, and LANGUAGE.
type action struct {
	before, after string
	always        bool              // after also follows calls that have failed
	replace       map[string]string // arguments that the call gets instead of the program's
}

const (
	length = "pando_mpi_bytes(count, datatype)"
	wanted = "MPI_Status own; void *got = pando_mpi_status(&own, status, LANGUAGE);"
)

// action returns what is to be done for a function, nil if its calls are all that is recorded.
func (f *function) action() *action {
	if a := collective(f); a != nil {
		return a
	}
	return actions[f.name]
}

var actions = messages()

func messages() map[string]*action {
	m := map[string]*action{
		"Recv":             receive("", "pando_mpi_number(comm)"),
		"Mrecv":            receive("uint32_t number = pando_mpi_match(message, LANGUAGE);", "number"),
		"Sendrecv":         receive("pando_mpi_sent(dest, comm, sendtag, pando_mpi_bytes(sendcount, sendtype));", "pando_mpi_number(comm)"),
		"Sendrecv_replace": receive("pando_mpi_sent(dest, comm, sendtag, "+length+");", "pando_mpi_number(comm)"),
		"Irecv":            request("pando_mpi_irecv(source, pando_mpi_number(comm))"),
		"Imrecv":           request("pando_mpi_irecv(0, pando_mpi_match(message, LANGUAGE))"),
		"Recv_init":        request("pando_mpi_persistent(pando_mpi_receives, source, comm, tag, 0)"),
		"Mprobe":           {after: "pando_mpi_matched(message, comm, LANGUAGE);"},
		"Improbe":          {after: "if (*flag) pando_mpi_matched(message, comm, LANGUAGE);"},
		"Start":            {before: "pando_mpi_restart(pando_mpi_handle(request, LANGUAGE));"},
		"Startall":         {before: "pando_mpi_restart_all(count, array_of_requests, LANGUAGE);"},
		"Cancel":           {before: "pando_mpi_cancel(pando_mpi_handle(request, LANGUAGE));"},
		"Request_free":     {before: "pando_mpi_forget(pando_mpi_handle(request, LANGUAGE));"},
		"Init":             {after: "pando_mpi_start(&pando_mpi_region_Init);"},
		"Init_thread":      {after: "pando_mpi_start(&pando_mpi_region_Init_thread);"},
		"Finalize":         {before: "pando_mpi_stop();"},
		"Comm_set_name":    {after: "pando_mpi_named(comm);"},
		"Comm_idup":        {after: "pando_mpi_copied(comm, pando_mpi_comm(newcomm, LANGUAGE));"},
	}
	for _, kind := range []string{"Send", "Bsend", "Ssend", "Rsend"} {
		m[kind] = &action{before: "pando_mpi_sent(dest, comm, tag, " + length + ");"}
		m["I"+strings.ToLower(kind)] = request("pando_mpi_isend(dest, comm, tag, " + length + ")")
		m[kind+"_init"] = request("pando_mpi_persistent(pando_mpi_sends, dest, comm, tag, " + length + ")")
	}
	waits(m)
	communicators(m)
	windows(m)
	files(m)
	return m
}

// receive records a message from the status of the call.
func receive(before, communicator string) *action {
	return &action{
		before:  strings.TrimSpace(wanted + " " + before),
		after:   "MPI_Status s = pando_mpi_of(got, LANGUAGE); pando_mpi_received(&s, " + communicator + ");",
		replace: map[string]string{"status": "got"},
	}
}

// request remembers what the call begins.
func request(what string) *action {
	return &action{
		before: "pando_mpi_request r = " + what + ";",
		after:  "pando_mpi_remember(&r, pando_mpi_handle(request, LANGUAGE));",
	}
}

func waits(m map[string]*action) {
	wait := func(name, before, after, statuses string) {
		m[name] = &action{
			before:  "pando_mpi_wait w; pando_mpi_waits(&w, " + before + ", LANGUAGE);",
			after:   "pando_mpi_waited_" + after + ";",
			always:  true,
			replace: map[string]string{statuses: "w.statuses"},
		}
	}
	const one, any, all, some = "1, request, status", "count, array_of_requests, status", "count, array_of_requests, array_of_statuses", "incount, array_of_requests, array_of_statuses"
	wait("Wait", one, "all(&w, outcome, 1)", "status")
	wait("Test", one, "all(&w, outcome, outcome != MPI_SUCCESS || *flag)", "status")
	wait("Waitany", any, "any(&w, outcome, 1, *indx)", "status")
	wait("Testany", any, "any(&w, outcome, outcome == MPI_SUCCESS && *flag, *indx)", "status")
	wait("Waitall", all, "all(&w, outcome, 1)", "array_of_statuses")
	wait("Testall", all, "all(&w, outcome, outcome != MPI_SUCCESS || *flag)", "array_of_statuses")
	wait("Waitsome", some, "some(&w, outcome, *outcount, array_of_indices)", "array_of_statuses")
	wait("Testsome", some, "some(&w, outcome, *outcount, array_of_indices)", "array_of_statuses")
}

// communicators numbers those that a call makes.
func communicators(m map[string]*action) {
	for name, made := range map[string]string{
		"Comm_dup": "newcomm", "Comm_dup_with_info": "newcomm", "Comm_create": "newcomm", "Comm_create_group": "newcomm", "Comm_split": "newcomm",
		"Comm_split_type": "newcomm", "Intercomm_create": "newintercomm", "Intercomm_merge": "newintracomm", "Cart_create": "comm_cart", "Cart_sub": "newcomm", "Graph_create": "comm_graph",
		"Dist_graph_create": "comm_dist_graph", "Dist_graph_create_adjacent": "comm_dist_graph",
	} {
		m[name] = &action{after: "pando_mpi_made(pando_mpi_comm(" + made + ", LANGUAGE));"}
	}
}
