/*
 * pando_mpi.h: what the wrappers of libpando-mpi.so do besides the call itself: they number communicators, remember requests, and record messages and
 * collective operations. The wrappers are made by "go run ./recorder/mpi", which puts this file and pando_record.h in front of them.
 *
 * Where it says language, 0 is C, 1 is Fortran and 2 its module mpi_f08: handles that MPI returns by a pointer are those of the language.
 */
#include <mpi.h>
#include <sched.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* of functions that have a wrapper all the same */

#if MPI_VERSION < 3 || (MPI_VERSION == 3 && MPI_SUBVERSION < 1)
#error "pando_mpi.h needs MPI 3.1"
#endif

enum {
	pando_mpi_send_kind = 14, pando_mpi_isend_kind, pando_mpi_isend_done_kind, pando_mpi_irecv_kind, pando_mpi_recv_kind, pando_mpi_irecv_done_kind,
	pando_mpi_cancelled_kind = 21, pando_mpi_icollective_kind = 85, pando_mpi_icollective_done_kind = 86
};

#define PANDO_MPI_NONE UINT32_MAX /* a communicator without a number: its messages are not recorded */

/* Inside of a wrapper, MPI's own calls of MPI functions, as those of MPICH's Fortran functions, are not the program's. */
static __thread int pando_mpi_inside;

static struct {
	pthread_mutex_t lock; /* of requests */
	int ready, rank, ranks, keyval, copies; /* keyval, copies: attributes of communicators */
	MPI_Group world;
	uint32_t made;    /* communicators that this rank has numbered */
	uint64_t started; /* requests */
} pando_mpi = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID, MPI_GROUP_NULL, 0, 0};

/* pando_mpi_begin enters a call, unless it is one that MPI makes for itself. */
static int pando_mpi_begin(pando_region *region) {
	if (pando_mpi_inside) return 0;
	pando_mpi_inside = 1;
	pando_enter(region);
	return 1;
}

static void pando_mpi_end(void) {
	pando_leave();
	pando_mpi_inside = 0;
}

/* ---- communicators ---- */

/* pando_mpi_number returns the number of a communicator. */
static uint32_t pando_mpi_number(MPI_Comm comm) {
	void *value;
	int found = 0;
	if (comm == MPI_COMM_WORLD) return PANDO_WORLD;
	if (comm == MPI_COMM_NULL || !pando_mpi.ready) return PANDO_MPI_NONE;
	if (PMPI_Comm_get_attr(comm, pando_mpi.keyval, &value, &found) != MPI_SUCCESS || !found) return PANDO_MPI_NONE;
	return (uint32_t)(uintptr_t)value;
}

/* pando_mpi_collective returns the number for a collective operation: those between two groups are calls only, since OTF2 has no words for their roots. */
static uint32_t pando_mpi_collective(MPI_Comm comm) {
	uint32_t number = pando_mpi_number(comm);
	int inter = 0;
	if (number > 0 && number != PANDO_MPI_NONE && (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter)) return PANDO_MPI_NONE;
	return number;
}

/* pando_mpi_ranks_of returns the ranks in MPI_COMM_WORLD of the members of a group; NULL if some have none. The caller frees it. */
static uint32_t *pando_mpi_ranks_of(MPI_Group group, int n) {
	int *ranks = (int *)calloc(2 * (size_t)(n + 1), sizeof *ranks), known;
	if (!ranks) return NULL;
	for (int i = 0; i < n; i++) ranks[i] = i;
	known = PMPI_Group_translate_ranks(group, n, ranks, pando_mpi.world, ranks + n) == MPI_SUCCESS;
	for (int i = 0; i < n && known; i++) known = ranks[n + i] >= 0 && ranks[n + i] < pando_mpi.ranks;
	if (!known) {
		free(ranks);
		return NULL;
	}
	memmove(ranks, ranks + n, (size_t)n * sizeof *ranks);
	return (uint32_t *)(void *)ranks;
}

/* pando_mpi_between reports whether a communicator has two groups. */
static int pando_mpi_between(MPI_Comm comm) {
	int inter = 0;
	return PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter;
}

/* pando_mpi_members returns those of the members of a communicator, or of its other group. */
static uint32_t *pando_mpi_members(MPI_Comm comm, int other, int *n) {
	MPI_Group group = MPI_GROUP_NULL;
	uint32_t *ranks = NULL;
	if ((other ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group)) == MPI_SUCCESS && PMPI_Group_size(group, n) == MPI_SUCCESS)
		ranks = pando_mpi_ranks_of(group, *n);
	if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
	return ranks;
}

/* pando_mpi_definition writes one. */
static void pando_mpi_definition(unsigned char kind, const unsigned char *content, const unsigned char *end) {
	pando_recorder *r = pando_it;
	if (!r || pando_busy) return;
	pando_busy = 1;
	pthread_mutex_lock(&r->lock);
	if (!r->closed) pando_define(r, kind, content, end);
	pthread_mutex_unlock(&r->lock);
	pando_busy = 0;
}

/* The groups that this rank has defined, by their members. Groups are numbered in each recording for itself. */
typedef struct pando_mpi_members_of {
	struct pando_mpi_members_of *next;
	uint32_t number, n, members[];
} pando_mpi_members_of;

static pando_mpi_members_of *pando_mpi_groups;

/* pando_mpi_group returns the number of a group, PANDO_MPI_NONE without memory. */
static uint32_t pando_mpi_group(const uint32_t *members, uint32_t n) {
	pando_mpi_members_of *g;
	unsigned char content[4200];
	pthread_mutex_lock(&pando_mpi.lock);
	for (g = pando_mpi_groups; g; g = g->next)
		if (g->n == n && !memcmp(g->members, members, n * sizeof *members)) break;
	if (!g && (g = (pando_mpi_members_of *)malloc(sizeof *g + n * sizeof *members))) {
		g->number = pando_mpi_groups ? pando_mpi_groups->number + 1 : 0;
		g->n = n, g->next = pando_mpi_groups;
		memcpy(g->members, members, n * sizeof *members);
		pando_mpi_groups = g;
		for (uint32_t i = 0, some; i < n || i == 0; i += some) {
			some = n - i < 256 ? n - i : 256;
			unsigned char *p = pando_varint(pando_varint(content, g->number), some);
			for (uint32_t k = i; k < i + some; k++) p = pando_varint(p, members[k]);
			pando_mpi_definition(8, content, p);
			if (!some) break;
		}
	}
	pthread_mutex_unlock(&pando_mpi.lock);
	return g ? g->number : PANDO_MPI_NONE;
}

static void pando_mpi_topology(MPI_Comm comm, uint32_t number);

/* pando_mpi_define writes the definition of a communicator: its first rank does, for all. Of one between two groups, the first rank of each group does, and the group with the lower ranks
   is the first one. */
static void pando_mpi_define(MPI_Comm comm, uint32_t number) {
	char name[MPI_MAX_OBJECT_NAME] = "";
	unsigned char content[4200];
	uint32_t *members, *others = NULL;
	int rank = -1, n = 0, m = 0;
	if (number == PANDO_MPI_NONE || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0 || !(members = pando_mpi_members(comm, 0, &n))) return;
	PMPI_Comm_get_name(comm, name, &rank);
	if (!pando_mpi_between(comm)) {
		pando_communicator(number, name, members, (size_t)n);
		pando_mpi_topology(comm, number);
	} else if ((others = pando_mpi_members(comm, 1, &m))) {
		uint32_t ours = pando_mpi_group(members, (uint32_t)n), theirs = pando_mpi_group(others, (uint32_t)m);
		int first = members[0] < others[0];
		unsigned char *p = pando_varint(pando_varint(pando_varint(content, number), first ? ours : theirs), first ? theirs : ours);
		pando_mpi_definition(9, content, pando_text(p, name));
	}
	free(members), free(others);
}

/* pando_mpi_named writes it again, with the name that it has now. */
static void pando_mpi_named(MPI_Comm comm) {
	if (comm != MPI_COMM_WORLD) pando_mpi_define(comm, pando_mpi_number(comm));
}

/* pando_mpi_set gives a communicator its number. */
static void pando_mpi_set(MPI_Comm comm, uint32_t number) {
	if (number != PANDO_MPI_NONE) PMPI_Comm_set_attr(comm, pando_mpi.keyval, (void *)(uintptr_t)number);
	pando_mpi_define(comm, number);
}

/* pando_mpi_next returns a number that no other rank gives: each gives those of its own residue. */
static uint32_t pando_mpi_next(void) {
	uint64_t n = 1 + (uint64_t)pando_mpi.rank + (uint64_t)pando_mpi.ranks * __atomic_fetch_add(&pando_mpi.made, 1, __ATOMIC_RELAXED);
	return n < UINT32_C(1) << 31 ? (uint32_t)n : PANDO_MPI_NONE;
}

/* pando_mpi_agree returns the number of a communicator between two groups: what the first ranks of both propose reaches the others of their own group by way of the other one. Signed
   numbers, since MPICH 4.0 takes the least of unsigned ones as if they were signed. */
static uint32_t pando_mpi_agree(MPI_Comm comm, int rank) {
	uint32_t next = rank == 0 ? pando_mpi_next() : PANDO_MPI_NONE;
	int own = next == PANDO_MPI_NONE ? INT32_MAX : (int)next, other, back;
	if (PMPI_Allreduce(&own, &other, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || PMPI_Allreduce(&other, &back, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS) return PANDO_MPI_NONE;
	if (back < other) other = back;
	return other == INT32_MAX ? PANDO_MPI_NONE : (uint32_t)other;
}

/* pando_mpi_made numbers a new communicator of this program: its first rank says how to the others. All of its members come here, whether they record or
   not. One with members that do not belong to the run, as spawned processes, gets no number: they may not come here. All members see that alike. */
static void pando_mpi_made(MPI_Comm comm) {
	uint32_t number = PANDO_MPI_NONE, *members, *others = NULL;
	int inter = 0, rank = -1, n = 0;
	if (!pando_mpi.ready || comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return;
	members = pando_mpi_members(comm, 0, &n);
	if (inter) others = pando_mpi_members(comm, 1, &n);
	int known = members && (others || !inter);
	free(members), free(others);
	if (!known) return;
	if (inter) number = pando_mpi_agree(comm, rank);
	else if (rank == 0) number = pando_mpi_next();
	if (inter || PMPI_Bcast(&number, 4, MPI_BYTE, 0, comm) == MPI_SUCCESS) pando_mpi_set(comm, number);
}

/* pando_mpi_copied numbers a communicator that MPI_Comm_idup makes, on which nothing can be sent yet. All members make copies of a communicator in the same order, so
   each can compute the number from it and the count of copies. These numbers are in the upper half. */
static void pando_mpi_copied(MPI_Comm parent, MPI_Comm comm) {
	uint32_t number = pando_mpi_number(parent), copy;
	void *copies = NULL;
	int found = 0;
	if (number == PANDO_MPI_NONE || PMPI_Comm_get_attr(parent, pando_mpi.copies, &copies, &found) != MPI_SUCCESS) return;
	copy = found ? (uint32_t)(uintptr_t)copies + 1 : 1;
	PMPI_Comm_set_attr(parent, pando_mpi.copies, (void *)(uintptr_t)copy);
	for (int i = 0; i < 3; i++) number = (number ^ (number >> 15)) * UINT32_C(0x2c1b3c6d) + copy;
	number = (number | UINT32_C(1) << 31) & ~UINT32_C(1);
	/* The copy cannot be asked yet for its members, but it has those of its parent. */
	PMPI_Comm_set_attr(comm, pando_mpi.keyval, (void *)(uintptr_t)number);
	pando_mpi_define(parent, number);
}

/* ---- begin ---- */

/* pando_mpi_find_hosts and pando_mpi_compare are those of pando_mpi_clocks.h. */
static MPI_Comm pando_mpi_hosts;
static void pando_mpi_find_hosts(void);
static void pando_mpi_compare(void);

/* pando_mpi_tell tells all ranks a number for the run: the folder is for one. */
static uint64_t pando_mpi_tell(void) {
	uint64_t run = pando_nanoseconds(CLOCK_REALTIME) ^ (uint64_t)getpid() << 48;
	PMPI_Bcast(&run, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
	return run;
}

/* pando_mpi_start begins the recording, when MPI has begun, since MPI knows which rank this is. A program may have begun before. */
static void pando_mpi_start(pando_region *region) {
	pando_options options;
	MPI_Comm parent = MPI_COMM_NULL;
	memset(&options, 0, sizeof options);
	if (PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL) return; /* the ranks of spawned processes are those of others of the run */
	if (PMPI_Comm_rank(MPI_COMM_WORLD, &options.rank) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &options.ranks) != MPI_SUCCESS) return;
	pando_mpi.rank = options.rank, pando_mpi.ranks = options.ranks;
	PMPI_Comm_group(MPI_COMM_WORLD, &pando_mpi.world);
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &pando_mpi.keyval, NULL);
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &pando_mpi.copies, NULL);
	options.run = pando_mpi_tell();
	if (getenv("PANDO_RUN")) options.run = 0; /* the environment says it */
	if (!pando_it) {
		if (pando_start(&options)) fprintf(stderr, "%s: rank %d is not recorded\n", pando_error(), options.rank);
		pando_enter(region); /* the call that pando_mpi_begin could not enter */
	}
	pando_mpi_find_hosts();
	pando_mpi_compare();
	pando_mpi.ready = 1;
	pando_mpi_set(MPI_COMM_SELF, pando_mpi_next());
}

static void pando_mpi_stop(void) {
	if (!pando_mpi.ready) return;
	pando_mpi.ready = 0;
	pando_mpi_compare();
	if (pando_mpi_hosts != MPI_COMM_NULL) PMPI_Comm_free(&pando_mpi_hosts);
	PMPI_Group_free(&pando_mpi.world);
}

/* ---- sizes ---- */

static uint64_t pando_mpi_bytes(int64_t n, MPI_Datatype type) {
	MPI_Count size = 0;
	if (n <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
	return (uint64_t)n * (uint64_t)size;
}

static int pando_mpi_rank(MPI_Comm comm) {
	int rank = 0;
	PMPI_Comm_rank(comm, &rank);
	return rank;
}

static int pando_mpi_ranks(MPI_Comm comm) {
	int n = 0;
	PMPI_Comm_size(comm, &n);
	return n;
}

static int64_t pando_mpi_total(const int *counts, MPI_Comm comm) {
	int64_t total = 0;
	for (int i = 0, n = pando_mpi_ranks(comm); i < n; i++) total += counts[i];
	return total;
}

/* pando_mpi_each adds up bytes of unlike types. */
static uint64_t pando_mpi_each(const int *counts, const void *types, MPI_Comm comm, int language) {
	uint64_t total = 0;
	for (int i = 0, n = pando_mpi_ranks(comm); i < n; i++)
		total += pando_mpi_bytes(counts[i], language ? MPI_Type_f2c(((const MPI_Fint *)types)[i]) : ((const MPI_Datatype *)types)[i]);
	return total;
}

/* ---- addresses that stand for something ---- */

/* The addresses of Fortran's MPI_IN_PLACE: in Open MPI, in MPICH, and in MPICH's module mpi_f08. */
extern int mpi_fortran_in_place_ __attribute__((weak));
extern void *MPIR_F_MPI_IN_PLACE __attribute__((weak));
extern int MPIR_F08_MPI_IN_PLACE __attribute__((weak));

static int pando_mpi_in_place(const void *buffer) {
	return buffer == MPI_IN_PLACE || (&mpi_fortran_in_place_ && buffer == (void *)&mpi_fortran_in_place_) || (&MPIR_F08_MPI_IN_PLACE && buffer == (void *)&MPIR_F08_MPI_IN_PLACE) ||
	       (&MPIR_F_MPI_IN_PLACE && buffer && buffer == MPIR_F_MPI_IN_PLACE);
}

/* pando_mpi_ignored reports whether the program does not want statuses. Open MPI's mpi_f08 has the addresses of its other modules. */
static int pando_mpi_ignored(const void *statuses, int language) {
	if (!language) return statuses == (void *)MPI_STATUS_IGNORE || statuses == (void *)MPI_STATUSES_IGNORE;
#ifdef MPICH_NAME
	if (statuses == (void *)MPI_F08_STATUS_IGNORE || statuses == (void *)MPI_F08_STATUSES_IGNORE) return 1;
#endif
	return statuses == (void *)MPI_F_STATUS_IGNORE || statuses == (void *)MPI_F_STATUSES_IGNORE;
}

/* ---- messages ---- */

static void pando_mpi_sent(int to, MPI_Comm comm, int tag, uint64_t bytes) {
	uint32_t number = pando_mpi_number(comm);
	if (to >= 0 && number != PANDO_MPI_NONE) pando_send(number, (uint32_t)to, (uint32_t)tag, bytes);
}

static void pando_mpi_received(MPI_Status *status, uint32_t number) {
	MPI_Count bytes = 0;
	if (status->MPI_SOURCE < 0 || number == PANDO_MPI_NONE) return;
	PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
	pando_receive(number, (uint32_t)status->MPI_SOURCE, (uint32_t)status->MPI_TAG, bytes > 0 ? (uint64_t)bytes : 0);
}
