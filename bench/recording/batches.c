/*
 * What an Enter or a Leave costs, batch by batch, of pando_record.h and of OTF2's own writer in turns: batches ROUNDS GIVEN. A batch has 16,800 events, calls of 21 on 3 levels. With GIVEN not 0, times are given; else both read the
 * recorder's clock. Each line has the name of a recorder and the nanoseconds of an event: of processor time, and of wall time.
 *
 * batches stall CALLS: the longest time that an event took in which calls were given up, and how many such events there were.
 */
#include "pando_record.h"

#include <otf2/otf2.h>

enum { batch = 400, events = 42 * batch };

static pando_region regions[3] = {{"first", "", 0, 1, 1, 0, 0}, {"second", "", 0, 1, 1, 0, 0}, {"third", "", 0, 1, 1, 0, 0}};
static OTF2_EvtWriter *writer;
static uint64_t ticks = (uint64_t)1 << 40;

/* Each of these is a recorder's way to enter and leave. */
#define PANDO_ENTER(n) pando_enter(&regions[n])
#define PANDO_LEAVE(n) pando_leave()
#define PANDO_ENTER_AT(n) pando_enter_at(&regions[n], ticks += 20)
#define PANDO_LEAVE_AT(n) pando_leave_at(ticks += 30)
#define OTF2_ENTER(n) OTF2_EvtWriter_Enter(writer, NULL, pando_now(pando_it), n)
#define OTF2_LEAVE(n) OTF2_EvtWriter_Leave(writer, NULL, pando_now(pando_it), n)
#define OTF2_ENTER_AT(n) OTF2_EvtWriter_Enter(writer, NULL, ticks += 20, n)
#define OTF2_LEAVE_AT(n) OTF2_EvtWriter_Leave(writer, NULL, ticks += 30, n)

#define ROUNDS(name, enter, leave)                                                             \
	static void name(void) {                                                                   \
		for (int n = 0; n < batch; n++) {                                                      \
			enter(0);                                                                          \
			for (int i = 0; i < 4; i++) {                                                      \
				enter(1);                                                                      \
				for (int j = 0; j < 4; j++) {                                                  \
					enter(2);                                                                  \
					leave(2);                                                                  \
				}                                                                              \
				leave(1);                                                                      \
			}                                                                                  \
			leave(0);                                                                          \
		}                                                                                      \
	}

ROUNDS(pando_clock_batch, PANDO_ENTER, PANDO_LEAVE)
ROUNDS(pando_given_batch, PANDO_ENTER_AT, PANDO_LEAVE_AT)
ROUNDS(otf2_clock_batch, OTF2_ENTER, OTF2_LEAVE)
ROUNDS(otf2_given_batch, OTF2_ENTER_AT, OTF2_LEAVE_AT)

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final) {
	(void)data, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static void measure(const char *name, void (*one)(void)) {
	uint64_t wall = pando_nanoseconds(CLOCK_MONOTONIC), cpu = pando_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
	one();
	cpu = pando_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu, wall = pando_nanoseconds(CLOCK_MONOTONIC) - wall;
	printf("%s %.3f %.3f\n", name, (double)cpu / events, (double)wall / events);
}

static int batches(int rounds, int given) {
	static OTF2_FlushCallbacks callbacks = {flush, NULL};
	OTF2_Archive *archive = OTF2_Archive_Open("batches.otf2.d", "trace", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	if (!(writer = OTF2_Archive_GetEvtWriter(archive, 0))) return 1;
	for (int i = -3; i < rounds; i++) {
		if (i == 0) printf("begin\n"); /* what came before was to warm up */
		measure("pando", given ? pando_given_batch : pando_clock_batch);
		measure("otf2", given ? otf2_given_batch : otf2_clock_batch);
	}
	return 0; /* the archive is of no use */
}

static int stall(long calls) {
	uint64_t longest = 0, rate_ns, rate_ticks = pando_now(pando_it);
	uint32_t floor = 0;
	int reductions = 0;
	rate_ns = pando_nanoseconds(CLOCK_MONOTONIC);
	for (long n = 0; n < calls; n += 21) {
		for (int i = 0; i < 42; i++) {
			static const signed char what[42] = {0, 1, 2, -1, 2, -1, 2, -1, 2, -1, -1, 1, 2, -1, 2, -1, 2, -1, 2, -1, -1, 1, 2, -1, 2, -1, 2, -1, 2, -1, -1, 1, 2, -1, 2, -1, 2, -1, 2, -1, -1, -1};
			uint64_t before = pando_now(pando_it), took;
			if (what[i] >= 0) pando_enter(&regions[(int)what[i]]);
			else pando_leave();
			if (pando_it->floor == floor) continue;
			took = pando_now(pando_it) - before;
			floor = pando_it->floor, reductions++;
			if (took > longest) longest = took;
		}
	}
	double ns_per_tick = (double)(pando_nanoseconds(CLOCK_MONOTONIC) - rate_ns) / (double)(pando_now(pando_it) - rate_ticks);
	printf("%.0f %d\n", (double)longest * ns_per_tick, reductions);
	return 0;
}

int main(int argc, char **argv) {
	if (argc != 3) return 2;
	if (pando_start(NULL)) return fprintf(stderr, "%s\n", pando_error()), 1;
	if (!strcmp(argv[1], "stall")) return stall(atol(argv[2]));
	return batches(atoi(argv[1]), atoi(argv[2]));
}
