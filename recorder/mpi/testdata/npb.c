/* The pattern of NPB's CG, FT and LU in small: halos by requests, sums and transposes by collective operations, a pipeline of blocking messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 64 };

static int rank, ranks;

/* halo exchanges a row with both neighbours. */
static void halo(double *u) {
	int up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
	MPI_Request r[4];
	MPI_Irecv(u, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(u + 3 * n, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(u + 2 * n, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(u + n, n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &r[3]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

/* sweep passes a block on from the first rank to the last, as LU does. */
static void sweep(double *u) {
	for (int k = 0; k < 8; k++) {
		if (rank > 0) MPI_Recv(u, 8, MPI_DOUBLE, rank - 1, 10 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank < ranks - 1) MPI_Send(u, 8, MPI_DOUBLE, rank + 1, 10 + k, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv) {
	static double u[4 * n], v[4 * n], all[4096];
	double sum = 0, part = 1;
	int steps = 50;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < steps; i++) {
		halo(u);
		MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (i % 5 == 0) MPI_Alltoall(u, n / 16, MPI_DOUBLE, v, n / 16, MPI_DOUBLE, MPI_COMM_WORLD);
		if (i % 10 == 0) sweep(u);
		if (i % 25 == 0) MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Gather(u, 4, MPI_DOUBLE, all, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
