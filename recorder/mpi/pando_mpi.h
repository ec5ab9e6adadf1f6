/*
 * pando_mpi.h: what the wrappers of libpando-mpi.so do besides the call itself: they number communicators, remember requests, and record messages and
 * collective operations. The wrappers are made by "go run ./recorder/mpi", which puts this file and pando_record.h in front of them.
 *
 * Where it says language, 0 is C and 1 is Fortran: handles that MPI returns by a pointer are those of the language.
 */
#include <mpi.h>

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
	pando_mpi.ready = 1;
	pando_mpi_set(MPI_COMM_SELF, pando_mpi_next());
}

static void pando_mpi_stop(void) {
	if (!pando_mpi.ready) return;
	pando_mpi.ready = 0;
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

/* The addresses of Fortran's MPI_IN_PLACE, in Open MPI and in MPICH. */
extern int mpi_fortran_in_place_ __attribute__((weak));
extern void *MPIR_F_MPI_IN_PLACE __attribute__((weak));

static int pando_mpi_in_place(const void *buffer) {
	return buffer == MPI_IN_PLACE || (&mpi_fortran_in_place_ && buffer == (void *)&mpi_fortran_in_place_) ||
	       (&MPIR_F_MPI_IN_PLACE && buffer && buffer == MPIR_F_MPI_IN_PLACE);
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

/* ---- requests ---- */

enum { pando_mpi_sends = 1, pando_mpi_receives, pando_mpi_collects, pando_mpi_matches, pando_mpi_windows, pando_mpi_moves };

typedef struct pando_mpi_request {
	struct pando_mpi_request *next; /* in its bucket, or of those without use */
	uint64_t key;                   /* the handle */
	int what, persistent, active, cancelled;
	uint64_t id;
	uint64_t words[5]; /* of the event at its end, before the id; of a send those of its begin */
} pando_mpi_request;

enum { pando_mpi_buckets = 4096 };

static pando_mpi_request *pando_mpi_table[pando_mpi_buckets], *pando_mpi_unused;

static uint64_t pando_mpi_key(MPI_Request request) {
	uint64_t key = 0;
	memcpy(&key, &request, sizeof request < 8 ? sizeof request : 8);
	return key;
}

static pando_mpi_request **pando_mpi_bucket(uint64_t key) {
	return &pando_mpi_table[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

/* pando_mpi_handle reads what MPI has returned. */
static MPI_Request pando_mpi_handle(const void *request, int language) {
	return language ? MPI_Request_f2c(*(const MPI_Fint *)request) : *(const MPI_Request *)request;
}

static MPI_Comm pando_mpi_comm(const void *comm, int language) { return language ? MPI_Comm_f2c(*(const MPI_Fint *)comm) : *(const MPI_Comm *)comm; }

/* pando_mpi_remember keeps a request until its end. Several may have one handle, since MPI has a common one for those that have ended at once; they are taken in
   their order. Without memory, it is forgotten. */
static void pando_mpi_keep(const pando_mpi_request *what, uint64_t key) {
	pando_mpi_request *r, **at;
	pthread_mutex_lock(&pando_mpi.lock);
	if ((r = pando_mpi_unused)) pando_mpi_unused = r->next;
	else r = (pando_mpi_request *)malloc(sizeof *r);
	if (r) {
		*r = *what;
		r->key = key;
		r->next = NULL;
		for (at = pando_mpi_bucket(r->key); *at; at = &(*at)->next) {}
		*at = r;
	}
	pthread_mutex_unlock(&pando_mpi.lock);
}

static void pando_mpi_remember(const pando_mpi_request *what, MPI_Request request) {
	if (what->what && request != MPI_REQUEST_NULL) pando_mpi_keep(what, pando_mpi_key(request));
}

/* pando_mpi_find returns where a request is in its bucket, NULL if it is none of ours. The lock is held. */
static pando_mpi_request **pando_mpi_find(uint64_t key) {
	for (pando_mpi_request **at = pando_mpi_bucket(key); *at; at = &(*at)->next)
		if ((*at)->key == key) return at;
	return NULL;
}

/* pando_mpi_drop forgets one. The lock is held. */
static void pando_mpi_drop(pando_mpi_request **at) {
	pando_mpi_request *r = *at;
	*at = r->next;
	r->next = pando_mpi_unused;
	pando_mpi_unused = r;
}

/* pando_mpi_begun records that a request begins. */
static void pando_mpi_begun(pando_mpi_request *r) {
	uint64_t words[5];
	r->active = 1;
	r->id = __atomic_add_fetch(&pando_mpi.started, 1, __ATOMIC_RELAXED);
	memcpy(words, r->words, sizeof words);
	words[4] = r->id;
	if (r->what == pando_mpi_sends) pando_event(pando_mpi_isend_kind, words, 5);
	else pando_event(r->what == pando_mpi_receives ? pando_mpi_irecv_kind : pando_mpi_icollective_kind, &r->id, 1);
}

static pando_mpi_request pando_mpi_message(int what, int peer, MPI_Comm comm, int tag, uint64_t bytes) {
	pando_mpi_request r;
	uint32_t number = pando_mpi_number(comm);
	memset(&r, 0, sizeof r);
	if (peer == MPI_PROC_NULL || number == PANDO_MPI_NONE) return r;
	r.what = what;
	r.words[0] = (uint32_t)peer, r.words[1] = number, r.words[2] = (uint32_t)tag, r.words[3] = bytes;
	return r;
}

/* pando_mpi_isend and pando_mpi_irecv come before the call, since a message is received after it was sent. */
static pando_mpi_request pando_mpi_isend(int to, MPI_Comm comm, int tag, uint64_t bytes) {
	pando_mpi_request r = pando_mpi_message(pando_mpi_sends, to, comm, tag, bytes);
	if (r.what) pando_mpi_begun(&r);
	return r;
}

static pando_mpi_request pando_mpi_irecv(int from, uint32_t number) {
	pando_mpi_request r;
	memset(&r, 0, sizeof r);
	if (from == MPI_PROC_NULL || number == PANDO_MPI_NONE) return r;
	r.what = pando_mpi_receives;
	r.words[1] = number;
	pando_mpi_begun(&r);
	return r;
}

/* Of a persistent request, the begin is a call of its own. */
static pando_mpi_request pando_mpi_persistent(int what, int peer, MPI_Comm comm, int tag, uint64_t bytes) {
	pando_mpi_request r = pando_mpi_message(what, peer, comm, tag, bytes);
	r.persistent = 1;
	return r;
}

static pando_mpi_request pando_mpi_icollective(int operation, uint32_t number, uint32_t root, uint64_t sent, uint64_t received) {
	pando_mpi_request r;
	memset(&r, 0, sizeof r);
	r.what = pando_mpi_collects;
	r.words[0] = (uint64_t)operation, r.words[1] = number, r.words[2] = root, r.words[3] = sent, r.words[4] = received;
	pando_mpi_begun(&r);
	return r;
}

static void pando_mpi_restart(MPI_Request request) {
	pthread_mutex_lock(&pando_mpi.lock);
	pando_mpi_request **at = pando_mpi_find(pando_mpi_key(request));
	if (at && (*at)->persistent) pando_mpi_begun(*at);
	pthread_mutex_unlock(&pando_mpi.lock);
}

static void pando_mpi_restart_all(int n, const void *requests, int language) {
	for (int i = 0; i < n; i++)
		pando_mpi_restart(pando_mpi_handle((const char *)requests + (size_t)i * (language ? sizeof(MPI_Fint) : sizeof(MPI_Request)), language));
}

/* pando_mpi_completed takes a request that has ended: a copy of it, whose what is 0 if it is none of ours or was not begun. */
static pando_mpi_request pando_mpi_completed(uint64_t key) {
	pando_mpi_request r;
	memset(&r, 0, sizeof r);
	pthread_mutex_lock(&pando_mpi.lock);
	pando_mpi_request **at = pando_mpi_find(key);
	if (at && (*at)->active) {
		r = **at;
		(*at)->active = (*at)->cancelled = 0;
		if (!r.persistent) pando_mpi_drop(at);
	}
	pthread_mutex_unlock(&pando_mpi.lock);
	return r;
}

/* A message that a probe has matched does not say of which communicator it is, so that is remembered. The keys are none of requests. */
static uint64_t pando_mpi_message_key(const void *message, int language) {
	uint64_t key = 0;
	MPI_Message m = language ? MPI_Message_f2c(*(const MPI_Fint *)message) : *(const MPI_Message *)message;
	memcpy(&key, &m, sizeof m < 8 ? sizeof m : 8);
	return ~key;
}

static void pando_mpi_matched(const void *message, MPI_Comm comm, int language) {
	pando_mpi_request r;
	memset(&r, 0, sizeof r);
	r.what = pando_mpi_matches;
	r.active = 1;
	r.words[1] = pando_mpi_number(comm);
	if (r.words[1] != PANDO_MPI_NONE) pando_mpi_keep(&r, pando_mpi_message_key(message, language));
}

static uint32_t pando_mpi_match(const void *message, int language) {
	pando_mpi_request r = pando_mpi_completed(pando_mpi_message_key(message, language));
	return r.what ? (uint32_t)r.words[1] : PANDO_MPI_NONE;
}

static void pando_mpi_cancel(MPI_Request request) {
	pthread_mutex_lock(&pando_mpi.lock);
	pando_mpi_request **at = pando_mpi_find(pando_mpi_key(request));
	if (at) (*at)->cancelled = 1;
	pthread_mutex_unlock(&pando_mpi.lock);
}

static void pando_mpi_forget(MPI_Request request) {
	pthread_mutex_lock(&pando_mpi.lock);
	pando_mpi_request **at = pando_mpi_find(pando_mpi_key(request));
	if (at) pando_mpi_drop(at);
	pthread_mutex_unlock(&pando_mpi.lock);
}

/* pando_mpi_ended records the end of a request. */
static void pando_mpi_ended(uint64_t key, MPI_Status *status) {
	pando_mpi_request r = pando_mpi_completed(key);
	MPI_Count bytes = 0;
	int cancelled = 0;
	if (r.cancelled) PMPI_Test_cancelled(status, &cancelled);
	if (r.what && cancelled) pando_event(pando_mpi_cancelled_kind, &r.id, 1);
	else if (r.what == pando_mpi_sends) pando_event(pando_mpi_isend_done_kind, &r.id, 1);
	else if (r.what == pando_mpi_receives && status->MPI_SOURCE >= 0) {
		PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
		uint64_t words[5] = {(uint32_t)status->MPI_SOURCE, r.words[1], (uint32_t)status->MPI_TAG, bytes > 0 ? (uint64_t)bytes : 0, r.id};
		pando_event(pando_mpi_irecv_done_kind, words, 5);
	} else if (r.what == pando_mpi_windows) {
		uint64_t words[2] = {r.words[1], r.id};
		pando_event(50, words, 2);
	} else if (r.what == pando_mpi_moves) {
		PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
		uint64_t words[3] = {r.words[1], bytes > 0 ? (uint64_t)bytes : 0, r.id};
		pando_event(78, words, 3);
	} else if (r.what == pando_mpi_collects) {
		uint64_t words[6] = {r.words[0], r.words[1], r.words[2], r.words[3], r.words[4], r.id};
		pando_event(pando_mpi_icollective_done_kind, words, 6);
	}
}

/* ---- waiting ---- */

/* What a call that waits or tests needs: the requests before it, since MPI makes null of those that end, and a place for the statuses that the program does
   not want. */
enum { pando_mpi_few = 64 };

typedef struct pando_mpi_wait {
	int n, language, failed, result; /* failed: there is no memory; result: of the call */
	void *statuses; /* for the call */
	uint64_t *keys, few[pando_mpi_few];
	void *more; /* memory, NULL if few is enough */
	MPI_Status own[pando_mpi_few];
} pando_mpi_wait;

static int pando_mpi_ignored(const void *statuses, int language) {
	if (language) return statuses == (void *)MPI_F_STATUS_IGNORE || statuses == (void *)MPI_F_STATUSES_IGNORE;
	return statuses == (void *)MPI_STATUS_IGNORE || statuses == (void *)MPI_STATUSES_IGNORE;
}

/* pando_mpi_waits prepares a call. Without memory for many requests, their ends are not recorded. */
static void pando_mpi_waits(pando_mpi_wait *w, int n, const void *requests, void *statuses, int language) {
	size_t size = language ? sizeof(MPI_Fint) : sizeof(MPI_Request);
	int ignored = pando_mpi_ignored(statuses, language);
	w->n = n > 0 ? n : 0, w->language = language, w->failed = 0, w->more = NULL;
	w->keys = w->few;
	w->statuses = ignored ? (void *)w->own : statuses;
	if (n > pando_mpi_few) {
		w->more = malloc((size_t)n * (sizeof(uint64_t) + sizeof(MPI_Status)));
		w->keys = (uint64_t *)w->more;
		w->statuses = !ignored || !w->more ? statuses : (void *)(w->keys + n);
		w->failed = !w->more;
	}
	for (int i = 0; i < w->n && !w->failed; i++) w->keys[i] = pando_mpi_key(pando_mpi_handle((const char *)requests + (size_t)i * size, language));
}

/* pando_mpi_waited records the end of request i, whose status is the one at slot. One that failed is forgotten. */
static void pando_mpi_waited(pando_mpi_wait *w, int i, int slot) {
	MPI_Status status;
	if (w->failed || i < 0 || i >= w->n) return;
	const char *at = (const char *)w->statuses + (size_t)slot * sizeof(MPI_Status);
	if (w->language) MPI_Status_f2c((const MPI_Fint *)(const void *)at, &status);
	else memcpy(&status, at, sizeof status);
	if (w->result == MPI_SUCCESS) pando_mpi_ended(w->keys[i], &status);
	else if (w->result != MPI_ERR_IN_STATUS || status.MPI_ERROR != MPI_ERR_PENDING) pando_mpi_completed(w->keys[i]);
}

static void pando_mpi_waited_all(pando_mpi_wait *w, int result, int all) {
	w->result = result;
	for (int i = 0; all && i < w->n; i++) pando_mpi_waited(w, i, i);
	free(w->more);
}

/* Indices count from 1 in Fortran. */
static void pando_mpi_waited_any(pando_mpi_wait *w, int result, int one, int index) {
	w->result = result;
	if (one && index != MPI_UNDEFINED) pando_mpi_waited(w, index - w->language, 0);
	free(w->more);
}

static void pando_mpi_waited_some(pando_mpi_wait *w, int result, int n, const int *indices) {
	w->result = result;
	for (int i = 0; n != MPI_UNDEFINED && i < n; i++) pando_mpi_waited(w, indices[i] - w->language, i);
	free(w->more);
}

/* pando_mpi_status is a place for a status, if the program does not want it. */
static void *pando_mpi_status(MPI_Status *own, void *status, int language) { return pando_mpi_ignored(status, language) ? (void *)own : status; }

static MPI_Status pando_mpi_of(const void *status, int language) {
	MPI_Status s;
	if (language) MPI_Status_f2c((const MPI_Fint *)status, &s);
	else memcpy(&s, status, sizeof s);
	return s;
}
