/* A program whose messages and calls are known: see TestPrograms. */
#include "pando_record.h"
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PANDO_REGION(work, "work");

static int rank, ranks;

/* ring: each rank sends 100 messages of 8 bytes to the next, in three ways. */
static void ring(MPI_Comm comm) {
	int me, n;
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	int next = (me + 1) % n, before = (me + n - 1) % n;
	double out = me, in;
	for (int i = 0; i < 100; i++) {
		MPI_Sendrecv(&out, 1, MPI_DOUBLE, next, 1, &in, 1, MPI_DOUBLE, before, 1, comm, MPI_STATUS_IGNORE);
		MPI_Request requests[2];
		MPI_Irecv(&in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, comm, &requests[0]);
		MPI_Isend(&out, 1, MPI_DOUBLE, next, 2, comm, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		MPI_Isend(&out, 1, MPI_DOUBLE, next, 3, comm, &requests[0]);
		MPI_Recv(&in, 1, MPI_DOUBLE, before, 3, comm, MPI_STATUS_IGNORE);
		for (int done = 0; !done;) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
	}
}

/* many: rank 0 gets 80 messages of growing size from each other rank in any order; more requests than statuses have a place for without memory. */
static void many(void) {
	enum { each = 80 };
	static char in[8][each][each], out[each];
	MPI_Request requests[8 * each];
	int n = 0, got = 0, indices[8 * each];
	if (rank == 0)
		for (int r = 1; r < ranks; r++)
			for (int i = 0; i < each; i++) MPI_Irecv(in[r][i], each, MPI_CHAR, r, i, MPI_COMM_WORLD, &requests[n++]);
	else
		for (int i = 0; i < each; i++) MPI_Issend(out, i, MPI_CHAR, 0, i, MPI_COMM_WORLD, &requests[n++]);
	while (got < n / 2) {
		int some;
		MPI_Waitsome(n, requests, &some, indices, MPI_STATUSES_IGNORE);
		got += some;
	}
	for (; got < n; got++) {
		int which;
		MPI_Status status;
		MPI_Waitany(n, requests, &which, &status);
	}
}

/* persistent: two requests, started 10 times; probes; a cancelled receive; a message to nobody. */
static void persistent(void) {
	int out = rank, in, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, flag;
	MPI_Request requests[2], nobody;
	MPI_Message message;
	MPI_Status status;
	MPI_Send_init(&out, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(&in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 10; i++) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Isend(&out, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]);
	MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
	MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Irecv(&in, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &nobody);
	MPI_Cancel(&nobody);
	MPI_Wait(&nobody, &status);
	MPI_Test_cancelled(&status, &flag);
	if (!flag) exit(3);
	MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &nobody);
	MPI_Wait(&nobody, MPI_STATUS_IGNORE);
	MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
}

/* collectives: and some that do not block. */
static void collectives(MPI_Comm comm) {
	int me, n;
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	int *out = calloc((size_t)n * n * 4, 4), *in = calloc((size_t)n * n * 4, 4), *counts = calloc(n, 4), *places = calloc(n, 4), *bytes = calloc(n, 4);
	MPI_Datatype *types = malloc(n * sizeof *types);
	for (int i = 0; i < n; i++) counts[i] = i + 1, places[i] = i * n, types[i] = MPI_INT, bytes[i] = 4 * i * n;
	int *mine = calloc(n, 4);
	for (int i = 0; i < n; i++) mine[i] = me + 1;
	MPI_Request r[32];
	int k = 0;
	MPI_Barrier(comm);
	MPI_Bcast(out, 3, MPI_INT, 1, comm);
	MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, comm);
	MPI_Gatherv(out, me + 1, MPI_INT, in, counts, places, MPI_INT, 1, comm);
	MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, comm);
	MPI_Scatterv(out, counts, places, MPI_INT, in, me + 1, MPI_INT, 0, comm);
	MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, comm);
	MPI_Allgatherv(out, me + 1, MPI_INT, in, counts, places, MPI_INT, comm);
	MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
	MPI_Alltoallv(out, counts, places, MPI_INT, in, mine, places, MPI_INT, comm);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, n > 0 ? (int[8]){1, 1, 1, 1, 1, 1, 1, 1} : NULL, places, MPI_INT, comm);
	MPI_Alltoallw(out, counts, bytes, types, in, mine, bytes, types, comm);
	MPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, comm);
	MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, 1, comm);
	MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
	MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm);
	MPI_Scan(out, in, 2, MPI_INT, MPI_SUM, comm);
	MPI_Exscan(out, in, 2, MPI_INT, MPI_SUM, comm);
	MPI_Ibarrier(comm, &r[k++]);
	MPI_Ibcast(mine, 2, MPI_INT, 1, comm, &r[k++]);
	MPI_Iallreduce(out, in, 5, MPI_INT, MPI_SUM, comm, &r[k++]);
	MPI_Waitall(k, r, MPI_STATUSES_IGNORE);
	free(out), free(in), free(counts), free(places), free(types), free(bytes), free(mine);
}

/* communicators: made in all ways, and one message round each. */
static void communicators(void) {
	MPI_Comm dup, half, cart, row, group, idup, inter, merged;
	MPI_Group world, some;
	MPI_Request request;
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	ring(dup);
	MPI_Comm_split(dup, rank % 2, -rank, &half);
	MPI_Comm_set_name(half, rank % 2 ? "odd ranks" : "even ranks");
	ring(half);
	collectives(dup);
	int dims[2] = {2, ranks / 2}, periods[2] = {1, 1}, remain[2] = {0, 1};
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	ring(cart);
	MPI_Cart_sub(cart, remain, &row);
	ring(row);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	int first[2] = {0, 1};
	MPI_Group_incl(world, 2, first, &some);
	MPI_Comm_create(MPI_COMM_WORLD, some, &group);
	if (group != MPI_COMM_NULL) {
		ring(group);
		MPI_Comm_free(&group);
		MPI_Comm_create_group(MPI_COMM_WORLD, some, 9, &group);
		ring(group);
	}
	MPI_Comm_idup(dup, &idup, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	ring(idup);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? ranks - 2 : ranks - 1, 11, &inter);
	MPI_Barrier(inter);
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	ring(merged);
	ring(MPI_COMM_SELF);
}

/* window: one-sided operations, by fences, by groups, by locks, and with requests. */
static void window(void) {
	static long memory[64];
	long value = rank, got = 0, compare = 0;
	void *base;
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, flag = 0;
	MPI_Win win, other, shared, dynamic;
	MPI_Group world, to, from;
	MPI_Request requests[2];
	MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_name(win, "halo");
	MPI_Win_allocate(1024, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &other);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
	MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared);
	MPI_Win_fence(0, win);
	MPI_Accumulate(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, MPI_SUM, win);
	MPI_Put(&value, 1, MPI_LONG, next, 1, 1, MPI_LONG, win);
	MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 1, 1, MPI_LONG, win);
	MPI_Win_fence(0, win);
	if (memory[0] != before || memory[1] != before) exit(4);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &next, &to);
	MPI_Group_incl(world, 1, &before, &from);
	for (int i = 0; i < 3; i++) {
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		for (int k = 0; k < 100; k++) MPI_Put(&value, 1, MPI_LONG, next, 2, 1, MPI_LONG, win);
		MPI_Win_complete(win);
		if (i) MPI_Win_wait(win);
		else
			while (!flag) MPI_Win_test(win, &flag);
	}
	MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
	MPI_Get(&got, 1, MPI_LONG, next, 3, 1, MPI_LONG, win);
	MPI_Win_flush_local(next, win);
	MPI_Get(&got, 1, MPI_LONG, next, 3, 1, MPI_LONG, win);
	MPI_Win_flush(next, win);
	MPI_Win_unlock(next, win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
	MPI_Put(&value, 1, MPI_LONG, next, 4, 1, MPI_LONG, win);
	MPI_Win_unlock(next, win);
	MPI_Win_lock_all(0, win);
	MPI_Fetch_and_op(&value, &got, MPI_LONG, next, 5, MPI_SUM, win);
	MPI_Compare_and_swap(&value, &compare, &got, MPI_LONG, next, 6, win);
	MPI_Get_accumulate(&value, 1, MPI_LONG, &got, 1, MPI_LONG, next, 7, 1, MPI_LONG, MPI_NO_OP, win);
	MPI_Win_flush_local_all(win);
	MPI_Win_flush_all(win);
	MPI_Win_sync(win);
	MPI_Rput(&value, 1, MPI_LONG, next, 8, 1, MPI_LONG, win, &requests[0]);
	MPI_Rget(&got, 1, MPI_LONG, next, 9, 1, MPI_LONG, win, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Raccumulate(&value, 1, MPI_LONG, next, 10, 1, MPI_LONG, MPI_SUM, win, &requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Rget_accumulate(&value, 1, MPI_LONG, &got, 1, MPI_LONG, next, 11, 1, MPI_LONG, MPI_SUM, win, &requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&shared);
	MPI_Win_free(&dynamic);
	MPI_Win_free(&other);
	MPI_Win_free(&win);
}

/* between: messages between two groups, the even and the odd ranks; what such a communicator is copied to. */
static void between(void) {
	MPI_Comm half, inter, copy;
	int out = rank, in = -1, other, me;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 11, &inter);
	MPI_Comm_set_name(inter, "even and odd");
	MPI_Comm_dup(inter, &copy);
	MPI_Comm_rank(inter, &me);
	MPI_Comm_remote_size(inter, &other);
	MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % other, 12, &in, 1, MPI_INT, (me + other - 1) % other, 12, inter, MPI_STATUS_IGNORE);
	if (in % 2 == rank % 2) exit(5);
	MPI_Sendrecv(&out, 1, MPI_INT, me, 13, &in, 1, MPI_INT, me, 13, copy, MPI_STATUS_IGNORE);
	MPI_Barrier(inter);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&inter);
}

/* spawn: two processes are spawned, which talk to rank 0, and are merged with it. */
static void spawn(char *program) {
	MPI_Comm children, merged;
	int word = 5, sum = 0;
	char *arguments[] = {"child", NULL};
	MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
	MPI_Send(&word, 1, MPI_INT, 1, 14, children);
	MPI_Intercomm_merge(children, 0, &merged);
	MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, merged);
	MPI_Comm_free(&merged);
	MPI_Comm_disconnect(&children);
}

static void child(MPI_Comm parent) {
	MPI_Comm merged;
	int me, word = 0, sum = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	if (me == 1) MPI_Recv(&word, 1, MPI_INT, 0, 14, parent, MPI_STATUS_IGNORE);
	MPI_Intercomm_merge(parent, 1, &merged);
	MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, merged);
	if (sum != 10) exit(6);
	MPI_Comm_free(&merged);
	MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "ring";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	pando_enter(&work);
	if (!strcmp(what, "ring")) ring(MPI_COMM_WORLD);
	if (!strcmp(what, "many")) many();
	if (!strcmp(what, "persistent")) persistent();
	if (!strcmp(what, "collectives")) collectives(MPI_COMM_WORLD);
	if (!strcmp(what, "communicators")) communicators();
	if (!strcmp(what, "window")) window();
	if (!strcmp(what, "between")) between();
	if (!strcmp(what, "spawn") && rank == 0) spawn(argv[0]);
	if (!strcmp(what, "child")) {
		MPI_Comm parent;
		MPI_Comm_get_parent(&parent);
		child(parent);
	}
	pando_leave();
	if (!strcmp(what, "killed")) {
		ring(MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		PMPI_Barrier(MPI_COMM_WORLD); /* not recorded: past it, all ranks have recorded the end of the barrier before */
		if (rank == 1) kill(getpid(), SIGKILL);
		pause();
	}
	MPI_Finalize();
	return 0;
}
