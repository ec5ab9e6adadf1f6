/*
 * pando_ompt.c: a tool of OpenMP, which LLVM's runtime loads into a program that is not changed. It records parallel regions, implicit and explicit tasks, loops and other worksharing, barriers and
 * other waits, locks that are waited for, and forks.
 *
 *     clang -shared -fPIC -O2 -o libpando-ompt.so pando_ompt.c
 *     OMP_TOOL_LIBRARIES=$PWD/libpando-ompt.so PANDO_DIR=run.d ./a.out
 *
 * The program is one that Clang (or GCC with -lomp) has linked with libomp. GCC's own libgomp loads no tools. Each thread is a location.
 */
#include "pando_record.h"

#include <omp-tools.h>

/* Regions: role and paradigm (3: OpenMP) are OTF2's. */
#define PANDO_OMP(variable, name, role) static pando_region pando_omp_##variable = {name, "", 0, role, 3, 0, 0}
PANDO_OMP(parallel, "omp parallel", 5);
PANDO_OMP(implicit_task, "omp implicit task", 8);
PANDO_OMP(task, "omp task", 20);
PANDO_OMP(loop, "omp loop", 3);
PANDO_OMP(sections, "omp sections", 6);
PANDO_OMP(single, "omp single", 9);
PANDO_OMP(single_other, "omp single, by another thread", 9);
PANDO_OMP(workshare, "omp workshare", 8);
PANDO_OMP(distribute, "omp distribute", 3);
PANDO_OMP(taskloop, "omp taskloop", 3);
PANDO_OMP(work, "omp work", 8);
PANDO_OMP(masked, "omp masked", 11);
PANDO_OMP(barrier, "omp barrier", 15);
PANDO_OMP(implicit_barrier, "omp implicit barrier", 16);
PANDO_OMP(taskwait, "omp taskwait", 22);
PANDO_OMP(taskgroup, "omp taskgroup", 22);
PANDO_OMP(reduction, "omp reduction", 8);
PANDO_OMP(mutex, "omp wait for a lock", 12);

static ompt_set_callback_t pando_omp_set;

/* A leave without its enter may come, as of a region that was entered before the recording began: it is not passed on. */
static __thread pando_region *pando_omp_open[pando_max_depth];
static __thread uint32_t pando_omp_depth;

static void pando_omp_enter(pando_region *region) {
	if (!pando_it || pando_omp_depth == pando_max_depth) return;
	pando_omp_open[pando_omp_depth++] = region;
	pando_enter(region);
}

/* pando_omp_leave ends the innermost region, and those inside of it that have had no end. */
static void pando_omp_leave(const pando_region *region) {
	uint32_t d = pando_omp_depth;
	while (d > 0 && pando_omp_open[d - 1] != region) d--;
	for (; d > 0 && pando_omp_depth >= d; pando_omp_depth--) pando_leave();
}

static void pando_omp_at(ompt_scope_endpoint_t endpoint, pando_region *region) {
	if (endpoint == ompt_scope_begin || endpoint == ompt_scope_beginend) pando_omp_enter(region);
	if (endpoint == ompt_scope_end || endpoint == ompt_scope_beginend) pando_omp_leave(region);
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
	(void)task, (void)frame, (void)parallel, (void)site;
	if (!(flags & ompt_parallel_team)) return; /* teams of devices */
	pando_omp_enter(&pando_omp_parallel);
	pando_event(24, &word, 1);
}

static void pando_omp_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *site) {
	(void)parallel, (void)task, (void)site;
	if (!(flags & ompt_parallel_team)) return;
	pando_event(25, NULL, 0);
	pando_omp_leave(&pando_omp_parallel);
}

static void pando_omp_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int n, unsigned int index, int flags) {
	(void)parallel, (void)task, (void)n, (void)index;
	if (!(flags & ompt_task_initial)) pando_omp_at(endpoint, &pando_omp_implicit_task);
}

/* Explicit tasks: those that are tied, so that one which is suspended goes on when those inside of it have ended. */
static void pando_omp_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences, const void *site) {
	(void)creator, (void)frame, (void)dependences, (void)site;
	task->value = flags & ompt_task_explicit ? 1 : 0; /* 1: explicit; 2: and it has begun */
}

static void pando_omp_schedule(ompt_data_t *before, ompt_task_status_t status, ompt_data_t *next) {
	if (before && before->value == 2 && (status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach)) pando_omp_leave(&pando_omp_task);
	if (next && next->value == 1) {
		next->value = 2;
		pando_omp_enter(&pando_omp_task);
	}
}

static void pando_omp_worksharing(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count, const void *site) {
	pando_region *region = &pando_omp_work;
	(void)parallel, (void)task, (void)count, (void)site;
	switch (type) {
	case ompt_work_loop: region = &pando_omp_loop; break;
	case ompt_work_sections: region = &pando_omp_sections; break;
	case ompt_work_single_executor: region = &pando_omp_single; break;
	case ompt_work_single_other: region = &pando_omp_single_other; break;
	case ompt_work_workshare: region = &pando_omp_workshare; break;
	case ompt_work_distribute: region = &pando_omp_distribute; break;
	case ompt_work_taskloop: region = &pando_omp_taskloop; break;
	default: break;
	}
	pando_omp_at(endpoint, region);
}

static void pando_omp_masking(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *site) {
	(void)parallel, (void)task, (void)site;
	pando_omp_at(endpoint, &pando_omp_masked);
}

static void pando_omp_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *site) {
	pando_region *region = &pando_omp_implicit_barrier;
	(void)parallel, (void)task, (void)site;
	switch (kind) {
	case ompt_sync_region_barrier:
	case ompt_sync_region_barrier_explicit: region = &pando_omp_barrier; break;
	case ompt_sync_region_taskwait: region = &pando_omp_taskwait; break;
	case ompt_sync_region_taskgroup: region = &pando_omp_taskgroup; break;
	case ompt_sync_region_reduction: region = &pando_omp_reduction; break;
	default: break;
	}
	pando_omp_at(endpoint, region);
}

static void pando_omp_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation, ompt_wait_id_t id, const void *site) {
	(void)kind, (void)hint, (void)implementation, (void)id, (void)site;
	pando_omp_enter(&pando_omp_mutex);
}

static void pando_omp_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *site) {
	(void)kind, (void)id, (void)site;
	pando_omp_leave(&pando_omp_mutex);
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
