/*
 * pando_ompt.c: a tool of OpenMP, which LLVM's runtime loads into a program that is not changed. It records parallel regions, implicit and explicit tasks, loops and other worksharing, barriers and
 * other waits, locks that are waited for, and forks.
 *
 *     clang -shared -fPIC -O2 -o libpando-ompt.so pando_ompt.c
 *     OMP_TOOL_LIBRARIES=$PWD/libpando-ompt.so PANDO_DIR=run.d ./a.out
 *
 * Regions lie where the program calls the runtime: conversion finds file and line in the debugging information. The program is one that Clang (or GCC with -lomp) has linked with libomp. GCC's own libgomp loads no tools. Each thread is a location.
 */
#include "pando_objects.h"

#include <omp-tools.h>

/* Kinds of regions: role and paradigm (3: OpenMP) are OTF2's. */
enum {
	omp_parallel, omp_implicit_task, omp_task, omp_loop, omp_sections, omp_single, omp_single_other,
	omp_workshare, omp_distribute, omp_taskloop, omp_work, omp_masked, omp_barrier, omp_implicit_barrier,
	omp_taskwait, omp_taskgroup, omp_reduction, omp_mutex, omp_kinds
};

static pando_region pando_omp_regions[omp_kinds] = {
	[omp_parallel] = {"omp parallel", "", 0, 5, 3, 0, 0},
	[omp_implicit_task] = {"omp implicit task", "", 0, 8, 3, 0, 0},
	[omp_task] = {"omp task", "", 0, 20, 3, 0, 0},
	[omp_loop] = {"omp loop", "", 0, 3, 3, 0, 0},
	[omp_sections] = {"omp sections", "", 0, 6, 3, 0, 0},
	[omp_single] = {"omp single", "", 0, 9, 3, 0, 0},
	[omp_single_other] = {"omp single, by another thread", "", 0, 9, 3, 0, 0},
	[omp_workshare] = {"omp workshare", "", 0, 8, 3, 0, 0},
	[omp_distribute] = {"omp distribute", "", 0, 3, 3, 0, 0},
	[omp_taskloop] = {"omp taskloop", "", 0, 3, 3, 0, 0},
	[omp_work] = {"omp work", "", 0, 8, 3, 0, 0},
	[omp_masked] = {"omp masked", "", 0, 11, 3, 0, 0},
	[omp_barrier] = {"omp barrier", "", 0, 15, 3, 0, 0},
	[omp_implicit_barrier] = {"omp implicit barrier", "", 0, 16, 3, 0, 0},
	[omp_taskwait] = {"omp taskwait", "", 0, 22, 3, 0, 0},
	[omp_taskgroup] = {"omp taskgroup", "", 0, 22, 3, 0, 0},
	[omp_reduction] = {"omp reduction", "", 0, 8, 3, 0, 0},
	[omp_mutex] = {"omp wait for a lock", "", 0, 12, 3, 0, 0},
};

static ompt_set_callback_t pando_omp_set;

/* What is open, by kinds: where a region ends is another place than where it begins. A leave without its enter may come, as of a region that was entered before the recording began: it is not passed on. */
static __thread unsigned char pando_omp_open[pando_max_depth];
static __thread uint32_t pando_omp_depth;

/* pando_omp_place returns the region of a kind at a place: site is where the runtime returns to, behind the call, or NULL. */
static pando_region *pando_omp_place(unsigned char kind, const void *site) {
	uint64_t address = (uint64_t)(uintptr_t)site - 1;
	pando_region *region = site ? pando_region_at(address * omp_kinds + kind, address, &pando_omp_regions[kind]) : NULL;
	return region ? region : &pando_omp_regions[kind];
}

static void pando_omp_enter(unsigned char kind, const void *site) {
	if (!pando_it || pando_omp_depth == pando_max_depth) return;
	pando_omp_open[pando_omp_depth++] = kind;
	pando_enter(pando_omp_place(kind, site));
}

/* pando_omp_leave ends the innermost region of a kind, and those inside of it that have had no end. */
static void pando_omp_leave(unsigned char kind) {
	uint32_t d = pando_omp_depth;
	while (d > 0 && pando_omp_open[d - 1] != kind) d--;
	for (; d > 0 && pando_omp_depth >= d; pando_omp_depth--) pando_leave();
}

static void pando_omp_at(ompt_scope_endpoint_t endpoint, unsigned char kind, const void *site) {
	if (endpoint == ompt_scope_begin || endpoint == ompt_scope_beginend) pando_omp_enter(kind, site);
	if (endpoint == ompt_scope_end || endpoint == ompt_scope_beginend) pando_omp_leave(kind);
}

static void pando_omp_thread_begin(ompt_thread_t type, ompt_data_t *thread) {
	static uint32_t workers;
	char name[40] = "main thread";
	(void)thread;
	if (type != ompt_thread_initial) snprintf(name, sizeof name, "OpenMP thread %u", __atomic_add_fetch(&workers, 1, __ATOMIC_RELAXED));
	pando_thread(name);
}

static void pando_omp_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned int threads, int flags, const void *site) {
	uint64_t word = threads;
	(void)task, (void)frame;
	parallel->ptr = (void *)(uintptr_t)site; /* for the tasks of its threads */
	if (!(flags & ompt_parallel_team)) return; /* teams of devices */
	pando_omp_enter(omp_parallel, site);
	pando_event(24, &word, 1);
}

static void pando_omp_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *site) {
	(void)parallel, (void)task, (void)site;
	if (!(flags & ompt_parallel_team)) return;
	pando_event(25, NULL, 0);
	pando_omp_leave(omp_parallel);
}

static void pando_omp_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int n, unsigned int index, int flags) {
	(void)task, (void)n, (void)index;
	if (!(flags & ompt_task_initial)) pando_omp_at(endpoint, omp_implicit_task, parallel ? parallel->ptr : NULL);
}

/* Explicit tasks: those that are tied, so that one which is suspended goes on when those inside of it have ended. */
static void pando_omp_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences, const void *site) {
	(void)creator, (void)frame, (void)dependences;
	task->value = flags & ompt_task_explicit ? (uint64_t)(uintptr_t)site << 2 | 1 : 0; /* where it was made; 1: explicit; 2: and it has begun */
}

static void pando_omp_schedule(ompt_data_t *before, ompt_task_status_t status, ompt_data_t *next) {
	if (before && (before->value & 2) && (status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach)) pando_omp_leave(omp_task);
	if (next && (next->value & 3) == 1) {
		next->value |= 2;
		pando_omp_enter(omp_task, (const void *)(uintptr_t)(next->value >> 2));
	}
}

static void pando_omp_worksharing(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count, const void *site) {
	unsigned char kind = omp_work;
	(void)parallel, (void)task, (void)count;
	switch (type) {
	case ompt_work_loop: kind = omp_loop; break;
	case ompt_work_sections: kind = omp_sections; break;
	case ompt_work_single_executor: kind = omp_single; break;
	case ompt_work_single_other: kind = omp_single_other; break;
	case ompt_work_workshare: kind = omp_workshare; break;
	case ompt_work_distribute: kind = omp_distribute; break;
	case ompt_work_taskloop: kind = omp_taskloop; break;
	default: break;
	}
	pando_omp_at(endpoint, kind, site);
}

static void pando_omp_masking(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *site) {
	(void)parallel, (void)task;
	pando_omp_at(endpoint, omp_masked, site);
}

static void pando_omp_sync(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *site) {
	unsigned char kind = omp_implicit_barrier;
	(void)parallel, (void)task;
	switch (type) {
	case ompt_sync_region_barrier:
	case ompt_sync_region_barrier_explicit: kind = omp_barrier; break;
	case ompt_sync_region_taskwait: kind = omp_taskwait; break;
	case ompt_sync_region_taskgroup: kind = omp_taskgroup; break;
	case ompt_sync_region_reduction: kind = omp_reduction; break;
	default: break;
	}
	pando_omp_at(endpoint, kind, site);
}

static void pando_omp_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation, ompt_wait_id_t id, const void *site) {
	(void)kind, (void)hint, (void)implementation, (void)id;
	pando_omp_enter(omp_mutex, site);
}

static void pando_omp_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *site) {
	(void)kind, (void)id, (void)site;
	pando_omp_leave(omp_mutex);
}

static int pando_omp_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
	(void)device, (void)data;
	if (!pando_it && pando_start(NULL)) fprintf(stderr, "%s\n", pando_error());
	if (!pando_it || !(pando_omp_set = (ompt_set_callback_t)lookup("ompt_set_callback"))) return 0; /* the tool is not active */
	pando_omp_set(ompt_callback_thread_begin, (ompt_callback_t)pando_omp_thread_begin);
	pando_omp_set(ompt_callback_parallel_begin, (ompt_callback_t)pando_omp_parallel_begin);
	pando_omp_set(ompt_callback_parallel_end, (ompt_callback_t)pando_omp_parallel_end);
	pando_omp_set(ompt_callback_implicit_task, (ompt_callback_t)pando_omp_implicit);
	pando_omp_set(ompt_callback_task_create, (ompt_callback_t)pando_omp_create);
	pando_omp_set(ompt_callback_task_schedule, (ompt_callback_t)pando_omp_schedule);
	pando_omp_set(ompt_callback_work, (ompt_callback_t)pando_omp_worksharing);
	pando_omp_set(ompt_callback_masked, (ompt_callback_t)pando_omp_masking);
	pando_omp_set(ompt_callback_sync_region, (ompt_callback_t)pando_omp_sync);
	pando_omp_set(ompt_callback_mutex_acquire, (ompt_callback_t)pando_omp_acquire);
	pando_omp_set(ompt_callback_mutex_acquired, (ompt_callback_t)pando_omp_acquired);
	return 1;
}

static void pando_omp_finalize(ompt_data_t *data) { (void)data; }

/* ompt_start_tool is what the runtime looks for. Without PANDO_DIR and without a recording, there is nothing to do. */
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
	static ompt_start_tool_result_t result = {pando_omp_initialize, pando_omp_finalize, {0}};
	(void)version, (void)runtime;
	return pando_it || getenv("PANDO_DIR") ? &result : NULL;
}
