/*
 * pando_mpi_clocks.h: clocks of hosts. The first rank of each host is asked by the first rank of all for its time, when MPI begins and before it ends. Of some questions, the one that took the least time says most, since
 * the answer was made within it: both moments are in the recording. Ranks of one host share a clock.
 */

/* The first ranks of all hosts, by their ranks; MPI_COMM_NULL in other ranks, and if there is one host only. */
static MPI_Comm pando_mpi_hosts = MPI_COMM_NULL;

/* pando_mpi_color is a number for the host of a rank, by its name in the recording; MPI_UNDEFINED if the rank records nothing. */
static int pando_mpi_color(void) {
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	if (!pando_it) return MPI_UNDEFINED;
	for (const unsigned char *p = pando_it->mem + pando_at_host; *p; p++) hash = (hash ^ *p) * UINT64_C(0x100000001b3);
	return (int)(hash >> 33);
}

/* pando_mpi_find_hosts finds the first rank of each host. All ranks call it. */
static void pando_mpi_find_hosts(void) {
	MPI_Comm host = MPI_COMM_NULL;
	int place = 1, n = 0;
	if (PMPI_Comm_split(MPI_COMM_WORLD, pando_mpi_color(), pando_mpi.rank, &host) != MPI_SUCCESS) return;
	if (host != MPI_COMM_NULL) {
		PMPI_Comm_rank(host, &place);
		PMPI_Comm_free(&host);
	}
	if (PMPI_Comm_split(MPI_COMM_WORLD, place == 0 ? 0 : MPI_UNDEFINED, pando_mpi.rank, &pando_mpi_hosts) != MPI_SUCCESS) return;
	if (pando_mpi_hosts != MPI_COMM_NULL && PMPI_Comm_size(pando_mpi_hosts, &n) == MPI_SUCCESS && n == 1) PMPI_Comm_free(&pando_mpi_hosts);
}

enum { pando_mpi_questions = 20 };

/* pando_mpi_ask asks a host for its time, and defines what time it was here. */
static void pando_mpi_ask(int host) {
	uint64_t best = UINT64_MAX, here = 0, there = 0, answer[2] = {0, 0}; /* answer: the time, and the rank */
	unsigned char content[64];
	for (int i = 0; i < pando_mpi_questions; i++) {
		uint64_t before = pando_now(pando_it), took;
		if (PMPI_Send(answer, 0, MPI_BYTE, host, 0, pando_mpi_hosts) != MPI_SUCCESS) return;
		if (PMPI_Recv(answer, sizeof answer, MPI_BYTE, host, 0, pando_mpi_hosts, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
		took = pando_now(pando_it) - before;
		if (took < best) best = took, here = before + took / 2, there = answer[0];
	}
	pando_mpi_definition(14, content, pando_varint(pando_varint(pando_varint(pando_varint(content, answer[1]), there), here), best));
}

static void pando_mpi_answer(void) {
	for (int i = 0; i < pando_mpi_questions; i++) {
		uint64_t answer[2] = {0, (uint64_t)pando_mpi.rank};
		if (PMPI_Recv(answer, 0, MPI_BYTE, 0, 0, pando_mpi_hosts, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
		answer[0] = pando_now(pando_it);
		if (PMPI_Send(answer, sizeof answer, MPI_BYTE, 0, 0, pando_mpi_hosts) != MPI_SUCCESS) return;
	}
}

/* pando_mpi_compare compares the clocks of all hosts. */
static void pando_mpi_compare(void) {
	int rank, n;
	if (pando_mpi_hosts == MPI_COMM_NULL || PMPI_Comm_rank(pando_mpi_hosts, &rank) != MPI_SUCCESS || PMPI_Comm_size(pando_mpi_hosts, &n) != MPI_SUCCESS) return;
	if (rank > 0) pando_mpi_answer();
	else for (int host = 1; host < n; host++) pando_mpi_ask(host);
}
