package main

import "fmt"

// windows are what is done for functions that work on memory of other ranks.
func windows(m map[string]*action) {
	// A call that makes or frees a window is a collective operation on it: 17 to 22 in OTF2.
	for name, operation := range map[string]int{"Win_create": 17, "Win_create_dynamic": 17, "Win_allocate": 21, "Win_allocate_shared": 21} {
		m[name] = &action{after: fmt.Sprintf("pando_mpi_window_made(pando_mpi_win(win, LANGUAGE), comm, %d);", operation)}
	}
	m["Win_free"] = &action{
		before: "pando_mpi_window *w = pando_mpi_window_of(pando_mpi_win(win, LANGUAGE)); pando_mpi_window_ends(w);",
		after:  "pando_mpi_window_freed(w);",
	}
	m["Win_set_name"] = &action{after: "pando_mpi_window_named(win);"}
	before := func(name, code string) { m[name] = &action{before: of + code} }
	after := func(name, code string) { m[name] = &action{before: of, after: code} }
	both := func(name, first, then string) { m[name] = &action{before: of + first, after: then} }
	both("Win_fence", " pando_mpi_window_begin(w);", "pando_mpi_window_done(w, PANDO_MPI_ALL, 1); pando_mpi_window_end(w, 0, 3);")
	// A group that is synchronised is that of the partners: 1 is the processes' order, 2 what they have written.
	after("Win_start", "pando_mpi_window_group(w, 1, pando_mpi_window_keep(w, 0, group));")
	after("Win_post", "pando_mpi_window_group(w, 1, pando_mpi_window_keep(w, 1, group));")
	after("Win_complete", "pando_mpi_window_done(w, PANDO_MPI_ALL, 1); pando_mpi_window_group(w, 3, pando_mpi_window_kept(w, 0));")
	after("Win_wait", "pando_mpi_window_group(w, 3, pando_mpi_window_kept(w, 1));")
	after("Win_test", "if (*flag) pando_mpi_window_group(w, 3, pando_mpi_window_kept(w, 1));")
	both("Win_lock", " pando_mpi_window_lock(w, 40, rank, lock_type);", "pando_mpi_window_lock(w, 41, rank, lock_type);")
	both("Win_lock_all", " pando_mpi_window_lock(w, 40, PANDO_MPI_ALL, MPI_LOCK_SHARED);", "pando_mpi_window_lock(w, 41, PANDO_MPI_ALL, MPI_LOCK_SHARED);")
	after("Win_unlock", "pando_mpi_window_done(w, rank, 1); pando_mpi_window_unlock(w, rank);")
	after("Win_unlock_all", "pando_mpi_window_done(w, PANDO_MPI_ALL, 1); pando_mpi_window_unlock(w, PANDO_MPI_ALL);")
	after("Win_flush", "pando_mpi_window_done(w, rank, 1);")
	after("Win_flush_all", "pando_mpi_window_done(w, PANDO_MPI_ALL, 1);")
	after("Win_flush_local", "pando_mpi_window_done(w, rank, 0);")
	after("Win_flush_local_all", "pando_mpi_window_done(w, PANDO_MPI_ALL, 0);")
	after("Win_sync", "pando_mpi_window_sync(w);")
	transfers(m, before)
}

const of = "pando_mpi_window *w = pando_mpi_window_of(win);"

// transfers are the operations themselves. Those with an R have a request, whose end is theirs.
func transfers(m map[string]*action, before func(name, code string)) {
	origin, target := size("origin_count", "origin_datatype"), size("target_count", "target_datatype")
	result, one := size("result_count", "result_datatype"), size("1", "datatype")
	atomic := func(kind int, sent, received string) string {
		return fmt.Sprintf("pando_mpi_window_atomic(w, target_rank, %d, %s, %s", kind, sent, received)
	}
	for name, code := range map[string]string{
		"Put": "pando_mpi_window_moved(w, target_rank, 46, " + origin,
		"Get": "pando_mpi_window_moved(w, target_rank, 47, " + target,
		// What is sent of MPI_NO_OP is not looked at.
		"Accumulate":     atomic(0, origin, "0"),
		"Get_accumulate": atomic(7, if_("op == MPI_NO_OP", "0", origin), result),
	} {
		before(name, " "+code+", 0);")
		r := "R" + string(name[0]+'a'-'A') + name[1:]
		m[r] = &action{
			before: of + " uint64_t id = " + code + ", 1);",
			after:  "pando_mpi_window_request(w, id, pando_mpi_handle(request, LANGUAGE));",
		}
	}
	before("Fetch_and_op", " "+atomic(7, if_("op == MPI_NO_OP", "0", one), one)+", 0);")
	before("Compare_and_swap", " "+atomic(3, "2 * "+one, one)+", 0);")
}
