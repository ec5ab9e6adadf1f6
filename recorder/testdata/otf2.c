/* Gives the same events, with the same times, to pando_record.h and to OTF2's own writer: otf2 FOLDER SEED EVENTS. The clock is a number here. The recording is in PANDO_DIR, the archive in
   FOLDER/trace.otf2. Threads record one after the other, which all clocks allow. */
#include <stdint.h>
static uint64_t ticks = (uint64_t)1 << 50;
#define PANDO_CLOCK() ticks
#include "pando_record.h"

#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

enum { threads = 3, regions = 5, metrics = 2, world = 0, pair_ = 3, strings = 64 };

static uint64_t seed;
static OTF2_Archive *archive;
static OTF2_EvtWriter *writer;
static pando_region region[regions];
static pando_metric metric[metrics];
static uint32_t open_[pando_max_depth], depth;

static uint64_t below(uint64_t n) { /* Knuth's generator */
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

#define CHECK(call)                                                                            \
	do {                                                                                       \
		if ((call) != OTF2_SUCCESS) fprintf(stderr, "%s\n", #call), exit(1);                     \
	} while (0)

static void enter(void) {
	uint32_t n = (uint32_t)below(regions);
	if (depth == pando_max_depth) return;
	pando_enter(&region[n]);
	CHECK(OTF2_EvtWriter_Enter(writer, NULL, ticks, n));
	open_[depth++] = n;
}

static void leave(void) {
	if (!depth) return;
	pando_leave();
	CHECK(OTF2_EvtWriter_Leave(writer, NULL, ticks, open_[--depth]));
}

static void message(void) {
	uint32_t communicator = below(2) ? world : pair_, tag = (uint32_t)below(1000);
	uint64_t bytes = below(2) ? below(100) : below((uint64_t)1 << 31) << 20;
	if (below(2)) {
		pando_send(communicator, 0, tag, bytes);
		CHECK(OTF2_EvtWriter_MpiSend(writer, NULL, ticks, 0, communicator, tag, bytes));
	} else {
		pando_receive(communicator, 0, tag, bytes);
		CHECK(OTF2_EvtWriter_MpiRecv(writer, NULL, ticks, 0, communicator, tag, bytes));
	}
}

static void collective(void) {
	uint8_t operation = (uint8_t)below(17);
	uint32_t root = below(2) ? UINT32_MAX : 0;
	pando_collective_begin();
	CHECK(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, ticks));
	ticks += 1 + below(1000);
	pando_collective_end(operation, world, root, ticks, 8);
	CHECK(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, ticks, operation, world, root, ticks, 8));
}

static void request(void) {
	uint64_t id = below(UINT32_MAX), send[5] = {0, pair_, 1, 64, id}, collective_[6] = {11, world, UINT32_MAX, 8, 8, id};
	switch (below(6)) {
	case 0:
		pando_event(15, send, 5);
		CHECK(OTF2_EvtWriter_MpiIsend(writer, NULL, ticks, 0, pair_, 1, 64, id));
		break;
	case 1:
		pando_event(16, &id, 1);
		CHECK(OTF2_EvtWriter_MpiIsendComplete(writer, NULL, ticks, id));
		break;
	case 2:
		pando_event(17, &id, 1);
		CHECK(OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, ticks, id));
		break;
	case 3:
		pando_event(19, send, 5);
		CHECK(OTF2_EvtWriter_MpiIrecv(writer, NULL, ticks, 0, pair_, 1, 64, id));
		break;
	case 4:
		pando_event(85, &id, 1);
		CHECK(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, ticks, id));
		break;
	case 5:
		pando_event(86, collective_, 6);
		CHECK(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, NULL, ticks, 11, world, UINT32_MAX, 8, 8, id));
	}
}

static void value(void) {
	uint32_t n = (uint32_t)below(metrics);
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue v;
	v.unsigned_int = below((uint64_t)1 << 31) << below(32);
	pando_value(&metric[n], v.unsigned_int);
	CHECK(OTF2_EvtWriter_Metric(writer, NULL, ticks, n, 1, &type, &v));
}

struct part {
	unsigned thread;
	long events;
};

static void *act(void *argument) {
	const struct part *part = (const struct part *)argument;
	writer = OTF2_Archive_GetEvtWriter(archive, part->thread);
	depth = 0;
	if (part->thread) pando_thread("worker");
	for (long i = 0; i < part->events; i++) {
		ticks += 1 + below((uint64_t)1 << below(24));
		switch (below(12)) {
		case 0: message(); break;
		case 1: collective(); break;
		case 2: request(); break;
		case 3: value(); break;
		default:
			if (below(depth + 8) < 8) enter();
			else leave();
			for (uint64_t n = below(3); n > 0; n--) ticks += 1 + below(300), leave();
		}
	}
	while (depth > 1) ticks++, leave(); /* one stays open */
	CHECK(OTF2_Archive_CloseEvtWriter(archive, writer));
	return NULL;
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final) {
	(void)data, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static OTF2_GlobalDefWriter *definitions;
static const char *texts_of[strings];
static uint32_t texts;

/* text gives each string one number, in the order in which they are met. */
static uint32_t text(const char *s) {
	for (uint32_t i = 0; i < texts; i++)
		if (!strcmp(texts_of[i], s)) return i;
	texts_of[texts] = s;
	CHECK(OTF2_GlobalDefWriter_WriteString(definitions, texts, s));
	return texts++;
}

static void group(uint32_t self, OTF2_GroupType type, uint32_t n, const uint64_t *members) {
	CHECK(OTF2_GlobalDefWriter_WriteGroup(definitions, self, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members));
}

/* What a recording says of a process of one rank. */
static void define(uint64_t begin, uint64_t real) {
	static const uint64_t zero[1] = {0};
	char name[256];
	definitions = OTF2_Archive_GetGlobalDefWriter(archive);
	CHECK(OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, begin, ticks - begin, real));
	uint32_t none = text("");
	for (uint32_t i = 0; i < regions; i++) {
		uint32_t s = text(region[i].name), file = text(region[i].file);
		CHECK(OTF2_GlobalDefWriter_WriteRegion(definitions, i, s, s, none, region[i].role, region[i].paradigm, 0, file, i + 1, i + 1));
	}
	for (uint32_t i = 0; i < metrics; i++) {
		uint32_t s = text(metric[i].name);
		uint32_t unit = text(metric[i].unit);
		CHECK(OTF2_GlobalDefWriter_WriteMetricMember(definitions, i, s, none, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, unit));
		CHECK(OTF2_GlobalDefWriter_WriteMetricClass(definitions, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_UNKNOWN));
	}
	gethostname(name, 128);
	uint32_t host = text(name), node = text("node");
	CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, host, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 0, text("MPI Rank 0"), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
	for (uint32_t i = 0; i < threads; i++)
		CHECK(OTF2_GlobalDefWriter_WriteLocation(definitions, i, text(i ? "worker" : "main thread"), OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
	group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, 1, zero);
	group(1, OTF2_GROUP_TYPE_COMM_GROUP, 1, zero);
	CHECK(OTF2_GlobalDefWriter_WriteComm(definitions, world, text("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM, 0));
	group(pair_ + 1, OTF2_GROUP_TYPE_COMM_GROUP, 1, zero);
	CHECK(OTF2_GlobalDefWriter_WriteComm(definitions, pair_, text("pair"), pair_ + 1, OTF2_UNDEFINED_COMM, 0));
}

int main(int argc, char **argv) {
	static const char *const names[regions] = {"solve", "step", "apply", "norm", "dot"};
	static const char *const counters[metrics] = {"load", "power"};
	OTF2_FlushCallbacks callbacks = {flush, NULL};
	uint32_t zero = 0;
	if (argc != 4) return 2;
	seed = strtoull(argv[2], NULL, 10);
	archive = OTF2_Archive_Open(argv[1], "trace", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	CHECK(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL));
	CHECK(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
	CHECK(OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL));
	CHECK(OTF2_Archive_OpenEvtFiles(archive));
	if (pando_start(NULL)) return fprintf(stderr, "%s\n", pando_error()), 1;
	uint64_t begin = ticks, real;
	memcpy(&real, pando_it->mem + 88, 8);
	for (uint32_t i = 0; i < regions; i++) {
		region[i].name = names[i], region[i].file = i % 2 ? "a.c" : "b.c", region[i].line = i + 1, region[i].role = region[i].paradigm = 1;
		pando_number(&region[i]);
	}
	for (uint32_t i = 0; i < metrics; i++) metric[i].name = counters[i], metric[i].unit = i ? "W" : "1", pando_metric_number(&metric[i]);
	pando_communicator(pair_, "pair", &zero, 1);
	for (unsigned i = 0; i < threads; i++) {
		struct part part = {i, atol(argv[3])};
		pthread_t t;
		if (!i) act(&part);
		else if (pthread_create(&t, NULL, act, &part) || pthread_join(t, NULL)) return 1;
	}
	ticks++;
	pando_close();
	CHECK(OTF2_Archive_CloseEvtFiles(archive));
	CHECK(OTF2_Archive_OpenDefFiles(archive));
	for (unsigned i = 0; i < threads; i++) CHECK(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
	CHECK(OTF2_Archive_CloseDefFiles(archive));
	define(begin, real);
	CHECK(OTF2_Archive_Close(archive));
	return 0;
}
