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

/*
 * pando_mpi_await waits for an operation. MPI's own calls keep a processor busy while they wait. Where there are more ranks than processors, an answer would then take as long as the system lets a rank run that only waits, some
 * milliseconds. Here, who waits leaves the processor to others: after the time of a message in a network, and sleeps when there is nothing to be expected soon.
 */
static int pando_mpi_await(MPI_Request *request) {
	enum { busy = 50000, awake = 1000000 }; /* ns */
	const struct timespec nap = {0, 100000};
	uint64_t begin = pando_nanoseconds(CLOCK_MONOTONIC);
	for (int done = 0;;) {
		if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 0;
		if (done) return 1;
		uint64_t waited = pando_nanoseconds(CLOCK_MONOTONIC) - begin;
		if (waited > awake) nanosleep(&nap, NULL);
		else if (waited > busy) sched_yield();
	}
}

static int pando_mpi_put(const void *content, int bytes, int host) { return PMPI_Send(content, bytes, MPI_BYTE, host, 0, pando_mpi_hosts) == MPI_SUCCESS; }

static int pando_mpi_take(void *content, int bytes, int host) {
	MPI_Request request;
	return PMPI_Irecv(content, bytes, MPI_BYTE, host, 0, pando_mpi_hosts, &request) == MPI_SUCCESS && pando_mpi_await(&request);
}

/* How often a host is asked, and when it is asked more often: if no answer took less than pando_mpi_quick, which is more than a message takes in most networks, and for all hosts together no longer than pando_mpi_patience. Times are in ns. */
enum { pando_mpi_questions = 20, pando_mpi_quick = 200000, pando_mpi_patience = 1000000000 };

/* pando_mpi_ask asks a host for its time, for as long as patience lets it, and defines what time it was here. */
static void pando_mpi_ask(int host, uint64_t patience) {
	uint64_t best = UINT64_MAX, quickest = UINT64_MAX, here = 0, there = 0, answer[2] = {0, 0}; /* answer: the time, and the rank */
	uint64_t begin = pando_nanoseconds(CLOCK_MONOTONIC), now = begin;
	unsigned char content[64], more = 1;
	for (int i = 0; i < pando_mpi_questions || (quickest > pando_mpi_quick && now - begin < patience); i++) {
		uint64_t asked = now, before = pando_now(pando_it), took;
		if (!pando_mpi_put(&more, 1, host) || !pando_mpi_take(answer, sizeof answer, host)) return;
		took = pando_now(pando_it) - before;
		now = pando_nanoseconds(CLOCK_MONOTONIC);
		if (took < best) best = took, quickest = now - asked, here = before + took / 2, there = answer[0];
	}
	more = 0;
	if (pando_mpi_put(&more, 1, host)) pando_mpi_definition(14, content, pando_varint(pando_varint(pando_varint(pando_varint(content, answer[1]), there), here), best));
}

static void pando_mpi_answer(void) {
	unsigned char more = 1;
	while (pando_mpi_take(&more, 1, 0) && more) {
		uint64_t answer[2] = {pando_now(pando_it), (uint64_t)pando_mpi.rank};
		if (!pando_mpi_put(answer, sizeof answer, 0)) return;
	}
}

/* pando_mpi_compare compares the clocks of all hosts. Ranks that have no part in it wait, too: a program that goes on could take the processor from one that asks or answers. */
static void pando_mpi_compare(void) {
	int rank, n;
	MPI_Request request;
	if (pando_mpi_hosts != MPI_COMM_NULL && PMPI_Comm_rank(pando_mpi_hosts, &rank) == MPI_SUCCESS && PMPI_Comm_size(pando_mpi_hosts, &n) == MPI_SUCCESS) {
		if (rank > 0) pando_mpi_answer();
		else for (int host = 1; host < n; host++) pando_mpi_ask(host, pando_mpi_patience / (uint64_t)(n - 1));
	}
	if (PMPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS) pando_mpi_await(&request);
}
