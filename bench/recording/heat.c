/* Heat on a square: a halo exchange and a sum over all ranks in each step. heat SIZE STEPS prints the seconds of processor time of all ranks in the loop, the longest wall time, and the residual. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double processor(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* step makes the next state of rows 1 to rows, and returns the sum of squares of what changed. */
static double step(const double *old, double *new_, int rows, int columns) {
	double sum = 0;
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j < columns - 1; j++) {
			const double *p = old + (size_t)i * columns + j;
			double next = 0.25 * (p[-1] + p[1] + p[-columns] + p[columns]), d = next - *p;
			new_[(size_t)i * columns + j] = next;
			sum += d * d;
		}
	return sum;
}

int main(int argc, char **argv) {
	int rank, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	int columns = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 20000, rows = columns / ranks;
	int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
	double *old = calloc((size_t)(rows + 2) * columns, sizeof *old), *new_ = calloc((size_t)(rows + 2) * columns, sizeof *new_);
	double residual = 0;
	if (rank == 0)
		for (int j = 0; j < columns; j++) old[j] = new_[j] = 1;
	MPI_Barrier(MPI_COMM_WORLD);
	double spent = -processor(), wall = -MPI_Wtime();
	for (int n = 0; n < steps; n++) {
		double *last = old + (size_t)rows * columns, mine;
		MPI_Sendrecv(old + columns, columns, MPI_DOUBLE, up, 0, last + columns, columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(last, columns, MPI_DOUBLE, down, 1, old, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mine = step(old, new_, rows, columns);
		MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		double *t = old;
		old = new_, new_ = t;
	}
	spent += processor(), wall += MPI_Wtime();
	double all, longest;
	MPI_Reduce(&spent, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&wall, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.4f %.4f %.6g\n", all, longest, residual);
	MPI_Finalize();
	return 0;
}
