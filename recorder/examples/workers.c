/*
 * A program in C with threads, a metric, markers, messages and a collective operation. It records into run.d, or where PANDO_DIR says:
 *
 *     gcc -O2 -pthread workers.c -o workers
 *     ./workers && pando convert run.d run.pando
 */
#include "pando_record.h"

enum { workers = 2, tasks = 50 };

PANDO_REGION(work, "work");
PANDO_REGION(task, "task");
PANDO_REGION(exchange, "exchange");
PANDO_METRIC(left, "tasks left", "1");
PANDO_MARKER(half, "progress", "half", 1);

static void *worker(void *name) {
	pando_thread((const char *)name); /* else it is called "thread 1" */
	pando_enter(&work);
	for (int i = 0; i < tasks; i++) {
		pando_enter(&task);
		pando_value(&left, (uint64_t)(tasks - 1 - i));
		if (i == tasks / 2) pando_mark(&half, (const char *)name);
		pando_leave();
	}
	pando_leave();
	return NULL;
}

/* Whoever sends messages by something else than MPI tells of them like this: here from this process, which is rank 0, to itself. */
static void talk(void) {
	static const uint32_t members[] = {0};
	enum { self = 1, tag = 5, sum = 11 };
	pando_communicator(self, "self", members, 1);
	pando_enter(&exchange);
	pando_send(self, 0, tag, 1000);
	pando_receive(self, 0, tag, 1000);
	pando_collective_begin();
	pando_collective_end(sum, self, UINT32_MAX, 8, 8); /* no root; bytes that this rank sends and receives */
	pando_leave();
}

int main(void) {
	static char names[workers][16];
	pthread_t threads[workers];
	if (pando_start(NULL)) fprintf(stderr, "%s\n", pando_error()); /* the program goes on without */
	pando_thread("main");
	for (int i = 0; i < workers; i++) {
		snprintf(names[i], sizeof names[i], "worker %d", i);
		if (pthread_create(&threads[i], NULL, worker, names[i])) return 1;
	}
	talk();
	for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
	return 0; /* which closes the recording */
}
