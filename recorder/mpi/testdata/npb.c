/*
 * The patterns of NPB's programs in small: npb KERNEL. Each has the loops, the functions of MPI and the partners of its program, and hardly any work: cg exchanges vectors with a partner across, ft transposes, is sends keys to whom
 * they belong, lu sweeps over blocks, mg exchanges faces on grids that get coarser, bt sends faces of cells, ep adds up.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 14 };

static int rank, ranks;
static double u[most], v[most], sum[8], part[8];

/* swap receives from a partner and sends to it, as CG and MG do. */
static void swap(int partner, int n, int tag) {
	MPI_Request r;
	MPI_Irecv(v, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &r);
	MPI_Send(u, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void cg(void) {
	for (int outer = 0; outer < 5; outer++) {
		for (int i = 0; i < 25; i++) {
			for (int half = 1; half < ranks; half *= 2) swap(rank ^ half, 128 / half, half); /* sums of rows */
			swap(ranks - 1 - rank, 128, 99);                                                /* transpose */
			for (int half = 1; half < ranks; half *= 2) swap(rank ^ half, 1, 50 + half);     /* a scalar product */
		}
	}
	MPI_Reduce(part, sum, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static void ft(void) {
	int parameters[3] = {6, 64, 64};
	MPI_Bcast(parameters, 3, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < parameters[0]; i++) {
		MPI_Alltoall(u, 256, MPI_DOUBLE, v, 256, MPI_DOUBLE, MPI_COMM_WORLD);
		MPI_Reduce(part, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void is(void) {
	int out[64], in[64], from[64], to[64];
	for (int i = 0; i < 10; i++) {
		for (int k = 0; k < ranks; k++) out[k] = 1 + (rank + k + i) % 7, from[k] = 8 * k, to[k] = 8 * k;
		MPI_Allreduce(part, sum, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
		MPI_Alltoallv(u, out, from, MPI_INT, v, in, to, MPI_INT, MPI_COMM_WORLD);
	}
	MPI_Request r; /* the greatest key goes to the next rank */
	if (rank > 0) MPI_Irecv(v, 1, MPI_INT, rank - 1, 1000, MPI_COMM_WORLD, &r);
	if (rank < ranks - 1) MPI_Send(u, 1, MPI_INT, rank + 1, 1000, MPI_COMM_WORLD);
	if (rank > 0) MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* sweep passes a block on from the first corner to the last one, or back, over a grid of two columns. */
static void sweep(int back, int tag) {
	int column = rank % 2, row = rank / 2, rows = ranks / 2, step = back ? -1 : 1;
	int before = column - step, above = row - step, after = column + step, below = row + step;
	if (above >= 0 && above < rows) MPI_Recv(u, 5 * 12, MPI_DOUBLE, 2 * above + column, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (before >= 0 && before < 2) MPI_Recv(u, 5 * 12, MPI_DOUBLE, 2 * row + before, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (below >= 0 && below < rows) MPI_Send(u, 5 * 12, MPI_DOUBLE, 2 * below + column, tag, MPI_COMM_WORLD);
	if (after >= 0 && after < 2) MPI_Send(u, 5 * 12, MPI_DOUBLE, 2 * row + after, tag + 1, MPI_COMM_WORLD);
}

static void lu(void) {
	MPI_Bcast(u, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 10; i++) {
		for (int k = 0; k < 10; k++) sweep(0, 1);
		for (int k = 0; k < 10; k++) sweep(1, 3);
		swap(rank ^ 1, 5 * 144, 5);
		if (i % 5 == 0) MPI_Allreduce(part, sum, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void mg(void) {
	for (int i = 0; i < 4; i++) {
		for (int size = 64; size >= 2; size /= 2) { /* down */
			for (int axis = 1; axis < ranks; axis *= 2) {
				swap(rank ^ axis, size * size, 10 * axis);
				swap(rank ^ axis, size * size / 2, 10 * axis + 1);
			}
		}
		for (int size = 2; size <= 64; size *= 2) swap(rank ^ 1, size * size, 100); /* up */
		MPI_Allreduce(part, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		MPI_Allreduce(part, sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	}
}

static void bt(void) {
	MPI_Request r[4];
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
	MPI_Bcast(u, 3, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 20; i++) {
		MPI_Irecv(v, 500, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(v + 500, 500, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(u, 500, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(u + 500, 500, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &r[3]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
		for (int stage = 0; stage < 3; stage++) { /* lines that are solved cell by cell */
			if (rank > 0) {
				MPI_Irecv(v, 22 * (stage + 1), MPI_DOUBLE, rank - 1, 10 + stage, MPI_COMM_WORLD, &r[0]);
				MPI_Wait(&r[0], MPI_STATUS_IGNORE);
			}
			if (rank < ranks - 1) {
				MPI_Isend(u, 22 * (stage + 1), MPI_DOUBLE, rank + 1, 10 + stage, MPI_COMM_WORLD, &r[1]);
				MPI_Wait(&r[1], MPI_STATUS_IGNORE);
			}
		}
	}
	MPI_Allreduce(part, sum, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Gather(u, 4, MPI_DOUBLE, v, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void ep(void) {
	MPI_Allreduce(part, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(part, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(part, sum, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {{"cg", cg}, {"ft", ft}, {"is", is}, {"lu", lu}, {"mg", mg}, {"bt", bt}, {"ep", ep}};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (argc > 1 && !strcmp(argv[1], kernels[i].name)) kernels[i].run();
	MPI_Finalize();
	return 0;
}
