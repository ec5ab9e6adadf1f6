/* Broadcasts until a file is there, which rank 0 looks for. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int rank, stop;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	do {
		stop = rank == 0 && access(argv[1], F_OK) == 0;
		MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
		usleep(200);
	} while (!stop);
	MPI_Finalize();
	return 0;
}
