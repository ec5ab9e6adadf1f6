/* Each rank writes to standard output when it calls MPI_Get_processor_name, in nanoseconds of the clock that all ranks of a host share: "RANK NANOSECONDS". */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
	char name[MPI_MAX_PROCESSOR_NAME];
	int rank, length;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 40; i++) {
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		MPI_Get_processor_name(name, &length);
		printf("%d %lld\n", rank, (long long)t.tv_sec * 1000000000 + t.tv_nsec);
		MPI_Barrier(MPI_COMM_WORLD);
		usleep(20000);
	}
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
