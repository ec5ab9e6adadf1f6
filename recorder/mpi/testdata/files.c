/* A program whose files and topologies are known: see TestFiles. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* grids: a grid of 2 by 2 of which one direction is periodic, and its rows. */
static void grids(void) {
	int sizes[2] = {2, 2}, periodic[2] = {1, 0}, remain[2] = {0, 1};
	MPI_Comm grid, row;
	MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &grid);
	MPI_Comm_set_name(grid, "plate");
	MPI_Cart_sub(grid, remain, &row);
	MPI_Comm_free(&row);
	MPI_Comm_free(&grid);
}

/* files: all ways to read and write, of 40 bytes each. */
static void files(const char *path) {
	int out[10] = {rank}, in[10];
	MPI_File f, own;
	MPI_Request request;
	MPI_Status status;
	MPI_Offset mine = rank * (MPI_Offset)sizeof out;
	char name[4096];
	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_write_at_all(f, mine, out, 10, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_read_at(f, mine, in, 10, MPI_INT, &status);
	MPI_File_seek(f, mine, MPI_SEEK_SET);
	MPI_File_seek(f, -4, MPI_SEEK_END);
	MPI_File_read(f, in, 10, MPI_INT, &status); /* four bytes are left */
	MPI_File_iwrite_at(f, mine, out, 10, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_write_at_all_begin(f, mine, out, 10, MPI_INT);
	MPI_File_write_at_all_end(f, out, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	snprintf(name, sizeof name, "%s.%d", path, rank);
	MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &own);
	MPI_File_write(own, out, 1, MPI_INT, &status);
	MPI_File_close(&own);
	MPI_File_delete(name, MPI_INFO_NULL);
	memset(&status, 0, sizeof status);
	/* A file that is not there: its error is returned, and nothing was opened. */
	MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &own);
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	grids();
	files(argc > 1 ? argv[1] : "file");
	MPI_Finalize();
	return 0;
}
