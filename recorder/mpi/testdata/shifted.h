/* What the library is built with for a test: the ranks from 2 on seem to be on a host of their own, whose clock is 5 s ahead and gains 2 %, and whose time of day is 50 ms ahead. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int shifted_away(void) {
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	if (!rank) rank = getenv("PMI_RANK");
	return rank && atoi(rank) >= 2;
}

static uint64_t shifted_ticks(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return shifted_away() ? ns + ns / 50 + UINT64_C(5000000000) : ns;
}

static int shifted_name(char *name, size_t n) {
	strncpy(name, shifted_away() ? "node2" : "node1", n);
	return 0;
}

static int shifted_time(clockid_t clock, struct timespec *t) {
	int result = clock_gettime(clock, t);
	if (clock == CLOCK_REALTIME && shifted_away() && (t->tv_nsec += 50000000) >= 1000000000) t->tv_sec++, t->tv_nsec -= 1000000000;
	return result;
}

#define PANDO_CLOCK() shifted_ticks()
#define gethostname shifted_name
#define clock_gettime shifted_time
