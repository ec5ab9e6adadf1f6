/*
 * pando_fortran.c: what the Fortran module pando_record needs of pando_record.h. Its functions have no names but these, as inline functions and structures are of no use to another language.
 */
#include "pando_record.h"

/* The regions and metrics of Fortran, which live as long as the program does: one for each that differs. */
struct pando_named {
	struct pando_named *next;
	const char *name, *more; /* the file of a region, the unit of a metric */
	uint32_t line;
	pando_region region;
	pando_metric metric;
};

static struct pando_named *pando_regions, *pando_metrics;
static pthread_mutex_t pando_names = PTHREAD_MUTEX_INITIALIZER;

static struct pando_named *pando_find(struct pando_named **list, const char *name, const char *more, uint32_t line) {
	struct pando_named *x;
	pthread_mutex_lock(&pando_names);
	for (x = *list; x; x = x->next)
		if (x->line == line && !strcmp(x->name, name) && !strcmp(x->more, more)) break;
	if (!x && (x = (struct pando_named *)calloc(1, sizeof *x))) {
		x->name = strdup(name), x->more = strdup(more), x->line = line;
		if (x->name && x->more) x->next = *list, *list = x;
		else x = NULL;
	}
	pthread_mutex_unlock(&pando_names);
	return x;
}

int pando_fortran_start(const char *dir, uint64_t budget, int mode, int rank, int ranks) {
	pando_options o;
	memset(&o, 0, sizeof o);
	if (*dir) o.dir = dir;
	o.budget = budget, o.mode = mode, o.rank = rank, o.ranks = ranks;
	return pando_start(&o);
}

pando_region *pando_fortran_region(const char *name, const char *file, int line) {
	struct pando_named *x = pando_find(&pando_regions, name, file, (uint32_t)line);
	if (!x) return NULL;
	x->region.name = x->name, x->region.file = x->more, x->region.line = x->line;
	x->region.role = x->region.paradigm = 1;
	return &x->region;
}

pando_metric *pando_fortran_metric(const char *name, const char *unit) {
	struct pando_named *x = pando_find(&pando_metrics, name, unit, 0);
	if (!x) return NULL;
	x->metric.name = x->name, x->metric.unit = x->more;
	return &x->metric;
}

/* Without memory for the region, its calls are those of one that has no name: enters and leaves stay in step. */
void pando_fortran_enter(pando_region *region) {
	PANDO_REGION(unknown, "region without memory for its name");
	pando_enter(region ? region : &unknown);
}

void pando_fortran_leave(void) { pando_leave(); }

void pando_fortran_value(pando_metric *metric, uint64_t value) {
	if (metric) pando_value(metric, value);
}
