/*
 * pando_mpi_files.h: files of MPI, and Cartesian topologies. A file that is open has a number, the same on all ranks that have opened it. What is read and written is an operation of it, with a number by
 * which its end is known.
 */

/* ---- topologies ---- */

/* pando_mpi_topology defines the Cartesian topology of a communicator, if it has one. */
static void pando_mpi_topology(MPI_Comm comm, uint32_t number) {
	enum { most = 64 };
	int kind = MPI_UNDEFINED, n = 0, sizes[most], periodic[most], at[most];
	unsigned char content[4200], *p;
	if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART || PMPI_Cartdim_get(comm, &n) != MPI_SUCCESS || n < 1 || n > most) return;
	if (PMPI_Cart_get(comm, n, sizes, periodic, at) != MPI_SUCCESS) return;
	p = pando_varint(pando_varint(content, number), (uint64_t)n);
	for (int i = 0; i < n; i++) p = pando_varint(pando_varint(p, (uint64_t)sizes[i]), periodic[i] != 0);
	pando_mpi_definition(11, content, p);
}

/* ---- files ---- */

typedef struct pando_mpi_file {
	struct pando_mpi_file *next;
	uint64_t key; /* the handle */
	uint32_t number;
	uint64_t split; /* the operation that a call has begun and another one will end; 0 if there is none */
} pando_mpi_file;

static pando_mpi_file *pando_mpi_opened;
static uint64_t pando_mpi_transfers;

static uint64_t pando_mpi_file_key(MPI_File file) {
	uint64_t key = 0;
	memcpy(&key, &file, sizeof file < 8 ? sizeof file : 8);
	return key;
}

static MPI_File pando_mpi_handle_of_file(const void *file, int language) { return language ? MPI_File_f2c(*(const MPI_Fint *)file) : *(const MPI_File *)file; }

/* pando_mpi_file_at returns what points to a file that is open; to NULL if it has no number. The lock is held. */
static pando_mpi_file **pando_mpi_file_at(MPI_File file) {
	pando_mpi_file **at = &pando_mpi_opened;
	while (*at && (*at)->key != pando_mpi_file_key(file)) at = &(*at)->next;
	return at;
}

static pando_mpi_file *pando_mpi_file_of(MPI_File file) {
	pthread_mutex_lock(&pando_mpi.lock);
	pando_mpi_file *f = *pando_mpi_file_at(file);
	pthread_mutex_unlock(&pando_mpi.lock);
	return f;
}

/* pando_mpi_path makes a text of C of one of Fortran, which has blanks behind it. */
static const char *pando_mpi_path(char *to, size_t room, const void *from, size_t n) {
	while (n > 0 && ((const char *)from)[n - 1] == ' ') n--;
	if (n >= room) n = room - 1;
	memcpy(to, from, n);
	to[n] = 0;
	return to;
}

/* pando_mpi_file_made numbers a file that was opened. All members of the communicator come here. */
static void pando_mpi_file_made(MPI_Comm comm, const char *path, int amode, MPI_File file) {
	uint32_t number = pando_mpi_agreed(comm), of = pando_mpi_number(comm);
	unsigned char content[4200];
	pando_mpi_file *f;
	if (number == PANDO_MPI_NONE) return;
	if (!(f = (pando_mpi_file *)calloc(1, sizeof *f))) return;
	f->key = pando_mpi_file_key(file), f->number = number;
	pthread_mutex_lock(&pando_mpi.lock);
	f->next = pando_mpi_opened, pando_mpi_opened = f;
	pthread_mutex_unlock(&pando_mpi.lock);
	if (pando_mpi_rank(comm) == 0) pando_mpi_definition(12, content, pando_text(pando_varint(pando_varint(content, number), of), path));
	uint64_t mode = amode & MPI_MODE_RDWR ? 2 : amode & MPI_MODE_WRONLY ? 1 : 0;
	uint64_t created = (amode & MPI_MODE_CREATE ? 1 : 0) | (amode & MPI_MODE_EXCL ? 8 : 0) | (amode & MPI_MODE_SEQUENTIAL ? 512 : 0) | (amode & MPI_MODE_UNIQUE_OPEN ? 1024 : 0);
	uint64_t status = (amode & MPI_MODE_APPEND ? 2 : 0) | (amode & MPI_MODE_DELETE_ON_CLOSE ? 256 : 0), words[4] = {number, mode, created, status};
	pando_event(69, words, 4);
}

/* pando_mpi_file_closed takes a file that MPI has closed. */
static void pando_mpi_file_closed(pando_mpi_file *f) {
	if (!f) return;
	uint64_t word = f->number;
	pando_event(70, &word, 1);
	pthread_mutex_lock(&pando_mpi.lock);
	for (pando_mpi_file **at = &pando_mpi_opened; *at; at = &(*at)->next)
		if (*at == f) {
			*at = f->next;
			break;
		}
	pthread_mutex_unlock(&pando_mpi.lock);
	free(f);
}

/* The paths of files that this rank has deleted. They are numbered in each recording for itself. */
static uint32_t pando_mpi_deleted;

static void pando_mpi_file_deleted(const char *path) {
	unsigned char content[4200];
	uint64_t words[2] = {0, __atomic_fetch_add(&pando_mpi_deleted, 1, __ATOMIC_RELAXED)};
	pando_mpi_definition(13, content, pando_text(pando_varint(content, words[1]), path));
	pando_event(74, words, 2);
}

/* ---- what is read and written ---- */

enum { PANDO_MPI_READ, PANDO_MPI_WRITE, PANDO_MPI_FLUSH };      /* modes */
enum { PANDO_MPI_ALONE, PANDO_MPI_LATER, PANDO_MPI_TOGETHER }; /* flags: not blocking, collective */

typedef struct pando_mpi_transfer {
	uint64_t file, id; /* the id is 0 for none */
} pando_mpi_transfer;

static pando_mpi_transfer pando_mpi_file_begin(const pando_mpi_file *f, int mode, int flags, uint64_t bytes) {
	pando_mpi_transfer t = {0, 0};
	if (!f) return t;
	t.file = f->number, t.id = __atomic_add_fetch(&pando_mpi_transfers, 1, __ATOMIC_RELAXED);
	uint64_t words[5] = {t.file, (uint64_t)mode, (uint64_t)flags, bytes, t.id};
	pando_event(75, words, 5);
	return t;
}

static void pando_mpi_file_end(pando_mpi_transfer t, uint64_t bytes) {
	uint64_t words[3] = {t.file, bytes, t.id};
	if (t.id) pando_event(78, words, 3);
}

/* pando_mpi_file_moved ends an operation of a call that has returned: one that failed has moved nothing. */
static void pando_mpi_file_moved(pando_mpi_transfer t, int outcome, const void *status, int language) {
	MPI_Count bytes = 0;
	if (!t.id) return;
	if (outcome == MPI_SUCCESS) {
		MPI_Status s = pando_mpi_of(status, language);
		PMPI_Get_elements_x(&s, MPI_BYTE, &bytes);
	}
	pando_mpi_file_end(t, bytes > 0 ? (uint64_t)bytes : 0);
}

/* pando_mpi_file_request remembers the request of an operation. */
static void pando_mpi_file_request(pando_mpi_transfer t, MPI_Request request) {
	pando_mpi_request r;
	if (!t.id) return;
	memset(&r, 0, sizeof r);
	r.what = pando_mpi_moves, r.active = 1, r.id = t.id, r.words[1] = t.file;
	pando_mpi_remember(&r, request);
}

/* pando_mpi_file_split takes the operation that a call has begun. */
static pando_mpi_transfer pando_mpi_file_split(pando_mpi_file *f) {
	pando_mpi_transfer t = {0, 0};
	if (f) t.file = f->number, t.id = f->split, f->split = 0;
	return t;
}

static void pando_mpi_file_sought(const pando_mpi_file *f, MPI_File file, int64_t offset, int whence, int shared) {
	MPI_Offset now = 0;
	if (!f || (shared ? PMPI_File_get_position_shared(file, &now) : PMPI_File_get_position(file, &now)) != MPI_SUCCESS) return;
	uint64_t words[4] = {f->number, (uint64_t)offset, whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2, (uint64_t)now};
	pando_event(72, words, 4);
}
