/* A loop of 400 steps: each rank sends 8 bytes to the next, and all add up. */
#include "pando_record.h"
#include <mpi.h>

PANDO_REGION(step, "step");

int main(int argc, char **argv) {
	int me, n;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int i = 0; i < 400; i++) {
		double out = me, in, sum;
		MPI_Request requests[2];
		pando_enter(&step);
		MPI_Irecv(&in, 1, MPI_DOUBLE, (me + n - 1) % n, 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&out, 1, MPI_DOUBLE, (me + 1) % n, 1, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		pando_leave();
	}
	MPI_Finalize();
	return 0;
}
