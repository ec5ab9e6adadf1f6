/* A loop of 400 steps, in which messages stay within a step or reach into the next one. The bytes of a message say in which step it was sent: see TestPhasesThatMessagesCross. */
#include "pando_record.h"
#include <mpi.h>

PANDO_REGION(step, "step");

enum { steps = 400 };

static int next, before;
static char out[steps + 1], in[steps + 1];

static void send(int i, int tag) { MPI_Send(out, i + 1, MPI_BYTE, next, tag, MPI_COMM_WORLD); }
static void receive(int tag) { MPI_Recv(in, steps + 1, MPI_BYTE, before, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

int main(int argc, char **argv) {
	static char late[steps + 1];
	MPI_Request within, across[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int me, n;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	next = (me + 1) % n, before = (me + n - 1) % n;
	for (int i = 0; i < steps; i++) {
		pando_enter(&step);
		MPI_Isend(out, i + 1, MPI_BYTE, next, 1, MPI_COMM_WORLD, &within); /* within the step */
		receive(1);
		MPI_Wait(&within, MPI_STATUS_IGNORE);
		MPI_Waitall(2, across, MPI_STATUSES_IGNORE); /* requests that the step before has begun */
		MPI_Irecv(late, steps + 1, MPI_BYTE, before, 2, MPI_COMM_WORLD, &across[0]);
		MPI_Isend(out, i + 1, MPI_BYTE, next, 2, MPI_COMM_WORLD, &across[1]);
		send(i, 3); /* received in the next step */
		if (i > 0) receive(3);
		if (i > 0) receive(4); /* of the step before, in a channel that has one of this step, too */
		send(i, 4);
		receive(4);
		send(i, 4);
		pando_leave();
	}
	MPI_Waitall(2, across, MPI_STATUSES_IGNORE);
	receive(3);
	receive(4);
	MPI_Finalize();
	return 0;
}
