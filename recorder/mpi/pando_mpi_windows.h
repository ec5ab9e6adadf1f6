/*
 * pando_mpi_windows.h: windows of MPI, and what is read from and written to memory of other ranks. An operation has a number, by which its end is known: of one with a request its wait, of
 * others the call that makes sure that it is done (a fence, the end of an epoch, a flush, an unlock).
 */

enum { PANDO_MPI_ALL = -1000000 }; /* as a rank: all of them; MPI's own negative ranks are near 0 */

/* An operation of which the end has not been recorded. */
typedef struct pando_mpi_operation {
	uint64_t id;
	int target;
} pando_mpi_operation;

typedef struct pando_mpi_window {
	uint32_t number;
	uint32_t communicator;
	int rank; /* of this process in it */
	uint32_t groups[2]; /* of the epochs that are open: of access, and of exposure; plus 1 */
	pando_mpi_operation *list;
	size_t n, room;
} pando_mpi_window;

static int pando_mpi_window_keyval = MPI_KEYVAL_INVALID;
static uint64_t pando_mpi_operations;

static MPI_Win pando_mpi_win(const void *win, int language) { return language ? MPI_Win_f2c(*(const MPI_Fint *)win) : *(const MPI_Win *)win; }

/* pando_mpi_window_of returns what is known of a window, NULL if it has no number. */
static pando_mpi_window *pando_mpi_window_of(MPI_Win win) {
	void *value = NULL;
	int found = 0;
	if (win == MPI_WIN_NULL || pando_mpi_window_keyval == MPI_KEYVAL_INVALID) return NULL;
	if (PMPI_Win_get_attr(win, pando_mpi_window_keyval, &value, &found) != MPI_SUCCESS || !found) return NULL;
	return (pando_mpi_window *)value;
}

static void pando_mpi_window_begin(const pando_mpi_window *w) {
	if (w) pando_event(37, NULL, 0);
}

static void pando_mpi_window_end(const pando_mpi_window *w, int operation, int level) {
	if (!w) return;
	uint64_t words[6] = {(uint64_t)operation, (uint64_t)level, w->number, UINT32_MAX, 0, 0};
	pando_event(38, words, 6);
}

static void pando_mpi_define_window(const pando_mpi_window *w, const char *name) {
	unsigned char content[4200];
	pando_mpi_definition(7, content, pando_text(pando_varint(pando_varint(content, w->number), w->communicator), name));
}

/* pando_mpi_window_named defines a window, with its name; its first rank does, for all. */
static void pando_mpi_window_named(MPI_Win win) {
	pando_mpi_window *w = pando_mpi_window_of(win);
	char name[MPI_MAX_OBJECT_NAME] = "";
	int length;
	if (!w || w->rank != 0) return;
	PMPI_Win_get_name(win, name, &length);
	pando_mpi_define_window(w, name);
}

/* pando_mpi_agreed returns a number for what the members of a communicator share, as its first rank says; PANDO_MPI_NONE if there is none. All members come here. */
static uint32_t pando_mpi_agreed(MPI_Comm comm) {
	uint32_t number = PANDO_MPI_NONE;
	if (!pando_mpi.ready || pando_mpi_number(comm) == PANDO_MPI_NONE) return PANDO_MPI_NONE;
	if (pando_mpi_rank(comm) == 0) number = pando_mpi_next();
	return PMPI_Bcast(&number, 4, MPI_BYTE, 0, comm) == MPI_SUCCESS ? number : PANDO_MPI_NONE;
}

/* pando_mpi_window_made numbers a new window. All members of its communicator come here. */
static void pando_mpi_window_made(MPI_Win win, MPI_Comm comm, int operation) {
	uint32_t number = pando_mpi_agreed(comm);
	pando_mpi_window *w;
	if (number == PANDO_MPI_NONE) return;
	if (pando_mpi_window_keyval == MPI_KEYVAL_INVALID) PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &pando_mpi_window_keyval, NULL);
	if (!(w = (pando_mpi_window *)calloc(1, sizeof *w))) return;
	w->number = number, w->rank = pando_mpi_rank(comm), w->communicator = pando_mpi_number(comm);
	PMPI_Win_set_attr(win, pando_mpi_window_keyval, w);
	if (w->rank == 0) pando_mpi_define_window(w, "");
	uint64_t word = number;
	pando_mpi_window_begin(w);
	pando_event(35, &word, 1);
	pando_mpi_window_end(w, operation, 1);
}

/* pando_mpi_window_done records that operations on a rank, or on all of them, are done: there, or with what they need here. */
static void pando_mpi_window_done(pando_mpi_window *w, int rank, int there) {
	size_t left = 0;
	if (!w) return;
	pthread_mutex_lock(&pando_mpi.lock);
	for (size_t i = 0; i < w->n; i++) {
		uint64_t words[2] = {w->number, w->list[i].id};
		if (rank == PANDO_MPI_ALL || w->list[i].target == rank) pando_event(there ? 52 : 50, words, 2);
		else w->list[left++] = w->list[i];
	}
	w->n = left;
	pthread_mutex_unlock(&pando_mpi.lock);
}

static void pando_mpi_window_ends(pando_mpi_window *w) {
	if (!w) return;
	uint64_t word = w->number;
	pando_mpi_window_begin(w);
	pando_mpi_window_done(w, PANDO_MPI_ALL, 1);
	pando_event(36, &word, 1);
}

static void pando_mpi_window_freed(pando_mpi_window *w) {
	if (!w) return;
	pando_mpi_window_end(w, 18, 1);
	free(w->list);
	free(w);
}

/* pando_mpi_window_operation numbers an operation. One without a request waits for the call that ends it. Without memory for that, it has no end. */
static uint64_t pando_mpi_window_operation(pando_mpi_window *w, int target, int request) {
	uint64_t id = __atomic_add_fetch(&pando_mpi_operations, 1, __ATOMIC_RELAXED);
	if (request) return id;
	pthread_mutex_lock(&pando_mpi.lock);
	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 64;
		pando_mpi_operation *list = (pando_mpi_operation *)realloc(w->list, room * sizeof *list);
		if (list) w->list = list, w->room = room;
	}
	if (w->n < w->room) w->list[w->n].id = id, w->list[w->n++].target = target;
	pthread_mutex_unlock(&pando_mpi.lock);
	return id;
}

/* pando_mpi_window_moved records a put or a get, and returns its number; 0 if there is none. */
static uint64_t pando_mpi_window_moved(pando_mpi_window *w, int target, uint16_t kind, uint64_t bytes, int request) {
	if (!w || target < 0) return 0;
	uint64_t id = pando_mpi_window_operation(w, target, request), words[4] = {w->number, (uint32_t)target, bytes, id};
	pando_event(kind, words, 4);
	return id;
}

static uint64_t pando_mpi_window_atomic(pando_mpi_window *w, int target, int type, uint64_t sent, uint64_t received, int request) {
	if (!w || target < 0) return 0;
	uint64_t id = pando_mpi_window_operation(w, target, request), words[6] = {w->number, (uint32_t)target, (uint64_t)type, sent, received, id};
	pando_event(48, words, 6);
	return id;
}

/* pando_mpi_window_request remembers the request of an operation. */
static void pando_mpi_window_request(const pando_mpi_window *w, uint64_t id, MPI_Request request) {
	pando_mpi_request r;
	if (!w || !id) return;
	memset(&r, 0, sizeof r);
	r.what = pando_mpi_windows, r.active = 1, r.id = id, r.words[1] = w->number;
	pando_mpi_remember(&r, request);
}

/* ---- synchronisation ---- */

/* pando_mpi_window_keep defines the group of an epoch, and keeps it until that ends. */
static uint32_t pando_mpi_window_keep(pando_mpi_window *w, int which, MPI_Group group) {
	int n = 0;
	uint32_t *members = NULL, number = 0;
	if (!w || PMPI_Group_size(group, &n) != MPI_SUCCESS || !(members = pando_mpi_ranks_of(group, n))) return 0;
	number = pando_mpi_group(members, (uint32_t)n) + 1;
	free(members);
	return w->groups[which] = number;
}

static uint32_t pando_mpi_window_kept(pando_mpi_window *w, int which) {
	uint32_t group = w ? w->groups[which] : 0;
	if (w) w->groups[which] = 0;
	return group;
}

static void pando_mpi_window_group(const pando_mpi_window *w, int level, uint32_t group) {
	if (!w || !group) return;
	uint64_t words[3] = {(uint64_t)level, w->number, group - 1};
	pando_event(39, words, 3);
}

/* kind: 40 before the call, 41 when it has the lock. Each rank of a window has one lock, 0. */
static void pando_mpi_window_lock(const pando_mpi_window *w, uint16_t kind, int rank, int type) {
	if (!w || (rank < 0 && rank != PANDO_MPI_ALL)) return;
	uint64_t words[4] = {w->number, rank < 0 ? UINT32_MAX : (uint32_t)rank, 0, type == MPI_LOCK_SHARED};
	pando_event(kind, words, 4);
}

static void pando_mpi_window_unlock(const pando_mpi_window *w, int rank) {
	if (!w || (rank < 0 && rank != PANDO_MPI_ALL)) return;
	uint64_t words[3] = {w->number, rank < 0 ? UINT32_MAX : (uint32_t)rank, 0};
	pando_event(43, words, 3);
}

static void pando_mpi_window_sync(const pando_mpi_window *w) {
	if (!w) return;
	uint64_t words[3] = {w->number, (uint32_t)w->rank, 0};
	pando_event(44, words, 3);
}
