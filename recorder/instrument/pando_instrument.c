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
#include "pando_objects.h"

static __thread volatile int pando_inside; /* what the recorder itself calls is not recorded, nor are handlers of signals that interrupt it */

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
		static const pando_region any = {NULL, NULL, 0, 1, 1, 0, 0};
		pando_region *region = pando_region_at((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)function, &any);
		if (region) pando_enter(region);
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
