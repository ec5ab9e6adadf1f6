/*
 * pando_instrument.c: every function of a program that was translated with -finstrument-functions is recorded, without a change of its source.
 *
 *     gcc -g -finstrument-functions -c program.c
 *     gcc -O2 -c pando_instrument.c
 *     gcc program.o pando_instrument.o -o a.out          (or as a library, by LD_PRELOAD: gcc -shared -fPIC -O2 -o libpando-instrument.so pando_instrument.c)
 *     PANDO_DIR=run.d ./a.out && pando convert run.d run.pando
 *
 * The recording begins with the first function that is entered if PANDO_DIR is set, else with pando_start. It has addresses, and says which executables and shared libraries were
 * where; conversion finds the names. Calls that longjmp left end when a function around them does. This file itself must not be translated with -finstrument-functions.
 */
#include "pando_record.h"

#include <limits.h>
#include <link.h>

/* The regions of functions by their addresses, in a table that is never more than half full. Readers take no lock: a table is published when it is whole, and an address last. */
typedef struct pando_function {
	uint64_t address;
	pando_region *region;
} pando_function;

typedef struct pando_functions {
	uint64_t size, used; /* a power of two */
	pando_function list[];
} pando_functions;

/* Where an executable or a shared library was: code from begin to end, at its own addresses plus bias. */
typedef struct pando_object {
	uint64_t begin, end, bias;
} pando_object;

enum { pando_first_functions = 1 << 12, pando_max_objects = 1024, pando_regions_at_once = 1024 };

static pando_functions *pando_table;
static pando_object pando_objects[pando_max_objects];
static uint32_t pando_object_count;
static pando_region *pando_fresh, *pando_fresh_end;
static pthread_mutex_t pando_table_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread volatile int pando_inside; /* what the recorder itself calls is not recorded, nor are handlers of signals that interrupt it */

static void *pando_memory(size_t size) { /* malloc may be what is being recorded */
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return m == MAP_FAILED ? NULL : m;
}

static uint64_t pando_hash(uint64_t address) { return (address * 0x9e3779b97f4a7c15u) >> 20; }

static pando_region *pando_known(const pando_functions *t, uint64_t address) {
	if (!t) return NULL;
	for (uint64_t i = pando_hash(address);; i++) {
		const pando_function *f = &t->list[i & (t->size - 1)];
		uint64_t a = __atomic_load_n(&f->address, __ATOMIC_ACQUIRE);
		if (a == address) return f->region;
		if (!a) return NULL;
	}
}

static void pando_keep_function(pando_functions *t, uint64_t address, pando_region *region) {
	uint64_t i = pando_hash(address);
	while (t->list[i & (t->size - 1)].address) i++;
	t->list[i & (t->size - 1)].region = region;
	__atomic_store_n(&t->list[i & (t->size - 1)].address, address, __ATOMIC_RELEASE);
	t->used++;
}

/* pando_room returns a table with room for one more. Tables that others may still read are not given back; all of them together are as large as the last one. */
static pando_functions *pando_room(void) {
	pando_functions *old = pando_table, *t;
	uint64_t size = old ? 2 * old->size : pando_first_functions;
	if (old && 2 * (old->used + 1) <= old->size) return old;
	if (!(t = (pando_functions *)pando_memory(sizeof *t + size * sizeof *t->list))) return NULL;
	t->size = size;
	for (uint64_t i = 0; old && i < old->size; i++)
		if (old->list[i].address) pando_keep_function(t, old->list[i].address, old->list[i].region);
	__atomic_store_n(&pando_table, t, __ATOMIC_RELEASE);
	return t;
}

/* pando_build_id writes the id that the linker gave an object, from its notes in memory. */
static unsigned char *pando_build_id(unsigned char *p, const struct dl_phdr_info *o) {
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		if (h->p_type != PT_NOTE || h->p_align > 4) continue;
		const unsigned char *at = (const unsigned char *)(o->dlpi_addr + h->p_vaddr), *end = at + h->p_memsz;
		while (end - at >= 12) {
			uint64_t name = (pando_get32(at) + 3u) & ~3u, size = pando_get32(at + 4);
			if (name + size > (uint64_t)(end - at - 12)) break;
			if (pando_get32(at + 8) == NT_GNU_BUILD_ID && name == 4 && !memcmp(at + 12, "GNU", 4) && size <= 64) {
				p = pando_varint(p, size);
				memcpy(p, at + 16, size);
				return p + size;
			}
			at += 12 + name + ((size + 3u) & ~3u);
		}
	}
	return pando_varint(p, 0);
}

static unsigned char *pando_path(unsigned char *p, const char *name) {
	char path[PATH_MAX];
	if (!*name) {
		ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
		path[n > 0 ? n : 0] = 0;
	} else if (!realpath(name, path)) {
		path[0] = 0;
	}
	return pando_text(p, path);
}

/* pando_found defines an object that is new: begin, end, bias, path, build id. */
static int pando_found(struct dl_phdr_info *o, size_t size, void *unused) {
	pando_object x = {UINT64_MAX, 0, o->dlpi_addr};
	unsigned char content[4200], *p = content;
	(void)size, (void)unused;
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		uint64_t begin = o->dlpi_addr + h->p_vaddr;
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
		if (begin < x.begin) x.begin = begin;
		if (begin + h->p_memsz > x.end) x.end = begin + h->p_memsz;
	}
	for (uint32_t i = 0; i < pando_object_count; i++)
		if (!memcmp(&pando_objects[i], &x, sizeof x)) return 0;
	if (x.begin >= x.end || pando_object_count == pando_max_objects) return 0;
	pando_objects[pando_object_count++] = x;
	p = pando_varint(pando_varint(pando_varint(p, x.begin), x.end - x.begin), x.bias);
	p = pando_build_id(pando_path(p, o->dlpi_name), o);
	pthread_mutex_lock(&pando_it->lock);
	if (!pando_it->closed) pando_define(pando_it, 6, content, p);
	pthread_mutex_unlock(&pando_it->lock);
	return 0;
}

static int pando_located(uint64_t address) {
	for (uint32_t i = 0; i < pando_object_count; i++)
		if (address >= pando_objects[i].begin && address < pando_objects[i].end) return 1;
	return 0;
}

/* pando_function_region makes the region of a function that is entered for the first time, NULL if there is no memory. */
PANDO_SLOW pando_region *pando_function_region(uint64_t address) {
	pando_functions *t;
	pando_region *region;
	pthread_mutex_lock(&pando_table_lock);
	if (!(region = pando_known(pando_table, address)) && (t = pando_room())) {
		if (!pando_located(address)) dl_iterate_phdr(pando_found, NULL);
		if (pando_fresh == pando_fresh_end) {
			pando_fresh = (pando_region *)pando_memory(pando_regions_at_once * sizeof *pando_fresh);
			pando_fresh_end = pando_fresh ? pando_fresh + pando_regions_at_once : NULL;
		}
		if (pando_fresh) {
			region = pando_fresh++;
			region->role = region->paradigm = 1;
			region->address = address;
			pando_keep_function(t, address, region);
		}
	}
	pthread_mutex_unlock(&pando_table_lock);
	return region;
}

/* pando_begin_by_environment starts the recording if PANDO_DIR is set: once. */
PANDO_SLOW void pando_begin_by_environment(void) {
	static int tried;
	if (__atomic_load_n(&tried, __ATOMIC_RELAXED) || __atomic_exchange_n(&tried, 1, __ATOMIC_RELAXED) || !getenv("PANDO_DIR")) return;
	if (pando_start(NULL)) fprintf(stderr, "%s\n", pando_error());
}

#ifdef __cplusplus
extern "C" {
#endif
void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);
#ifdef __cplusplus
}
#endif

void __cyg_profile_func_enter(void *function, void *site) {
	(void)site;
	if (pando_inside) return;
	pando_inside = 1;
	if (!pando_it) pando_begin_by_environment();
	if (pando_it) {
		pando_region *region = pando_known(__atomic_load_n(&pando_table, __ATOMIC_ACQUIRE), (uint64_t)(uintptr_t)function);
		if (region || (region = pando_function_region((uint64_t)(uintptr_t)function))) pando_enter(region);
	}
	pando_inside = 0;
}

/* pando_leave_function ends the innermost call of a region, and those inside of it, which longjmp left. A function that was entered before the recording began is not found. */
static void pando_leave_function(pando_location *l, uint32_t number, uint64_t t) {
	uint32_t d = l->depth;
	if (d > pando_max_depth) {
		pando_pop(l, t);
		return;
	}
	while (d > 0 && l->stack[d - 1].region != number) d--;
	while (d > 0 && l->depth >= d) pando_pop(l, t);
}

void __cyg_profile_func_exit(void *function, void *site) {
	(void)site;
	if (pando_inside || !pando_it) return;
	pando_inside = 1;
	pando_region *region = pando_known(__atomic_load_n(&pando_table, __ATOMIC_ACQUIRE), (uint64_t)(uintptr_t)function);
	pando_location *l = region && region->number ? pando_begin() : NULL;
	if (l) {
		pando_leave_function(l, pando_region_of(region->number), pando_clock(l, NULL));
		pando_done();
	}
	pando_inside = 0;
}
