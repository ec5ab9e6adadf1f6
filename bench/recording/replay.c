/*
 * Records the calls of another trace, with their times: replay FILE REGIONS. The file has, for each event of 16 bytes: time, region, and what it is: 0 a leave, 1 an enter, 2 the end of a location before another one. The clock is the time of the
 * event, so that the recording says what the recorder would have kept of the program.
 */
#include <stdint.h>
static uint64_t ticks = 1;
#define PANDO_CLOCK() ticks
#include "pando_record.h"

struct event {
	uint64_t time;
	uint32_t region, what;
};

static struct event now;
static FILE *file;
static pando_region *regions;
static uint64_t last;

static int more; /* locations */

static void *location(void *argument) {
	(void)argument;
	more = 0;
	while (!more && fread(&now, sizeof now, 1, file) == 1) {
		ticks = now.time;
		if (ticks > last) last = ticks;
		if (now.what == 1) pando_enter(&regions[now.region]);
		else if (now.what == 0) pando_leave();
		else more = 1;
	}
	return NULL;
}

int main(int argc, char **argv) {
	pthread_t t;
	if (argc != 3 || !(file = fopen(argv[1], "rb")) || !(regions = (pando_region *)calloc(strtoul(argv[2], NULL, 10), sizeof *regions))) return 2;
	for (unsigned long n = strtoul(argv[2], NULL, 10); n-- > 0;) {
		char *name = (char *)malloc(16);
		snprintf(name, 16, "%lu", n);
		regions[n].name = name, regions[n].file = "", regions[n].role = regions[n].paradigm = 1;
	}
	if (pando_start(NULL)) return fprintf(stderr, "%s\n", pando_error()), 1;
	do {
		if (pthread_create(&t, NULL, location, NULL) || pthread_join(t, NULL)) return 1;
	} while (more);
	ticks = last + 1;
	pando_close();
	return 0;
}
