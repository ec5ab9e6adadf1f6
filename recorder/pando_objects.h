/*
 * pando_objects.h: regions that lie at addresses of the program, whose names or lines conversion finds. The recording says which executables and shared libraries were where. For pando_instrument.c and pando_ompt.c; each
 * has a table of its own.
 */
#ifndef PANDO_OBJECTS_H
#define PANDO_OBJECTS_H

#include "pando_record.h"

#include <limits.h>
#include <link.h>

/* Regions by their keys, in a table that is never more than half full. Readers take no lock: a table is published when it is whole, and a key last. */
typedef struct pando_placed {
	uint64_t key; /* not 0 */
	pando_region *region;
} pando_placed;

typedef struct pando_places {
	uint64_t size, used; /* a power of two */
	pando_placed list[];
} pando_places;

/* Where an executable or a shared library was: code from begin to end, at its own addresses plus bias. */
typedef struct pando_object {
	uint64_t begin, end, bias;
} pando_object;

enum { pando_first_places = 1 << 12, pando_max_objects = 1024, pando_regions_at_once = 1024 };

static pando_places *pando_table;
static pando_object pando_objects[pando_max_objects];
static uint32_t pando_object_count;
static pando_region *pando_fresh, *pando_fresh_end;
static pthread_mutex_t pando_table_lock = PTHREAD_MUTEX_INITIALIZER;

static void *pando_memory(size_t size) { /* malloc may be what is being recorded */
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return m == MAP_FAILED ? NULL : m;
}

static uint64_t pando_hash(uint64_t key) { return (key * 0x9e3779b97f4a7c15u) >> 20; }

static pando_region *pando_known(const pando_places *t, uint64_t key) {
	if (!t) return NULL;
	for (uint64_t i = pando_hash(key);; i++) {
		const pando_placed *f = &t->list[i & (t->size - 1)];
		uint64_t k = __atomic_load_n(&f->key, __ATOMIC_ACQUIRE);
		if (k == key) return f->region;
		if (!k) return NULL;
	}
}

static void pando_keep_place(pando_places *t, uint64_t key, pando_region *region) {
	uint64_t i = pando_hash(key);
	while (t->list[i & (t->size - 1)].key) i++;
	t->list[i & (t->size - 1)].region = region;
	__atomic_store_n(&t->list[i & (t->size - 1)].key, key, __ATOMIC_RELEASE);
	t->used++;
}

/* pando_room returns a table with room for one more. Tables that others may still read are not given back; all of them together are as large as the last one. */
static pando_places *pando_room(void) {
	pando_places *old = pando_table, *t;
	uint64_t size = old ? 2 * old->size : pando_first_places;
	if (old && 2 * (old->used + 1) <= old->size) return old;
	if (!(t = (pando_places *)pando_memory(sizeof *t + size * sizeof *t->list))) return NULL;
	t->size = size;
	for (uint64_t i = 0; old && i < old->size; i++)
		if (old->list[i].key) pando_keep_place(t, old->list[i].key, old->list[i].region);
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

/* pando_new_region makes a region of a key that is met for the first time, NULL if there is no memory. */
static __attribute__((noinline, cold)) pando_region *pando_new_region(uint64_t key, uint64_t address, const pando_region *like) {
	pando_places *t;
	pando_region *region;
	pthread_mutex_lock(&pando_table_lock);
	if (!(region = pando_known(pando_table, key)) && (t = pando_room())) {
		if (!pando_located(address)) dl_iterate_phdr(pando_found, NULL);
		if (pando_fresh == pando_fresh_end) {
			pando_fresh = (pando_region *)pando_memory(pando_regions_at_once * sizeof *pando_fresh);
			pando_fresh_end = pando_fresh ? pando_fresh + pando_regions_at_once : NULL;
		}
		if (pando_fresh) {
			region = pando_fresh++;
			*region = *like;
			region->number = 0;
			region->address = address;
			pando_keep_place(t, key, region);
		}
	}
	pthread_mutex_unlock(&pando_table_lock);
	return region;
}

/* pando_region_at returns the region of a key, which is like another one, and lies at an address; NULL if there is no memory. */
static pando_region *pando_region_at(uint64_t key, uint64_t address, const pando_region *like) {
	pando_region *region = pando_known(__atomic_load_n(&pando_table, __ATOMIC_ACQUIRE), key);
	return region ? region : pando_new_region(key, address, like);
}

#endif
