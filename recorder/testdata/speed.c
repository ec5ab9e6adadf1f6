/* What an Enter or a Leave costs, in nanoseconds of processor time: rounds of 21 calls on 3 levels. speed ROUNDS GIVEN; with GIVEN not 0, times are given. */
#include "pando_record.h"

PANDO_REGION(first, "first");
PANDO_REGION(second, "second");
PANDO_REGION(third, "third");

static uint64_t ticks = (uint64_t)1 << 40;

static void enter(pando_region *region, int given) {
	if (given) pando_enter_at(region, ticks += 20);
	else pando_enter(region);
}

static void leave(int given) {
	if (given) pando_leave_at(ticks += 30);
	else pando_leave();
}

int main(int argc, char **argv) {
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	int given = argc > 2 && atoi(argv[2]);
	if (pando_start(NULL)) {
		fprintf(stderr, "%s\n", pando_error());
		return 1;
	}
	enter(&first, given); /* not the first event of the thread */
	leave(given);
	uint64_t before = pando_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
	for (long n = 0; n < rounds; n++) {
		enter(&first, given);
		for (int i = 0; i < 4; i++) {
			enter(&second, given);
			for (int j = 0; j < 4; j++) {
				enter(&third, given);
				leave(given);
			}
			leave(given);
		}
		leave(given);
	}
	printf("%.2f\n", (double)(pando_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before) / (42.0 * (double)rounds));
	return 0;
}
