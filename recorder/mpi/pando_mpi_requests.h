/*
 * pando_mpi_requests.h: requests from their begin to their end, and what calls that wait or test do. It stands behind pando_mpi.h.
 */

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

#ifdef MPICH_NAME
extern void pmpir_waitany_f08_(void *f_count, void *f_array_of_requests, void *f_indx, void *f_status, MPI_Fint *ierror) __attribute__((weak));

/* pando_mpi_origin asks MPICH's mpi_f08 for the index of the first request: that of MPICH 4.0 counts from 0, in spite of the standard. */
static int pando_mpi_origin(void) {
	MPI_Request none;
	MPI_Fint one = 1, request, index = 1, code;
	if (PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &none) != MPI_SUCCESS) return 1;
	request = PMPI_Request_c2f(none);
	pmpir_waitany_f08_(&one, &request, &index, MPI_F08_STATUS_IGNORE, &code);
	return index == 0 ? 0 : 1;
}
#else
static int pando_mpi_origin(void) { return 1; }
#endif

/* pando_mpi_first is the index of the first request: 1 in Fortran. */
static int pando_mpi_first(int language) {
	static int origin = -1; /* of mpi_f08 */
	int first = __atomic_load_n(&origin, __ATOMIC_RELAXED);
	if (language < 2) return language;
	if (first < 0) __atomic_store_n(&origin, first = pando_mpi_origin(), __ATOMIC_RELAXED);
	return first;
}

static void pando_mpi_waited_any(pando_mpi_wait *w, int result, int one, int index) {
	w->result = result;
	if (one && index != MPI_UNDEFINED) pando_mpi_waited(w, index - pando_mpi_first(w->language), 0);
	free(w->more);
}

static void pando_mpi_waited_some(pando_mpi_wait *w, int result, int n, const int *indices) {
	w->result = result;
	for (int i = 0; n != MPI_UNDEFINED && i < n; i++) pando_mpi_waited(w, indices[i] - pando_mpi_first(w->language), i);
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
