/* Does what the kernel counts, in regions of their own: touches 200 pages, burns 60 ms, waits 20 times; in two threads, of which the second only burns. */
#include "pando_record.h"

PANDO_REGION(burn, "burn");
PANDO_REGION(touch, "touch");
PANDO_REGION(idle, "idle");
PANDO_REGION(hidden, "hidden");

static void burning(void) {
	uint64_t begin = pando_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
	pando_enter(&burn);
	while (pando_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin < 60000000) {}
	pando_leave();
}

static void *second(void *unused) {
	(void)unused;
	burning();
	return NULL;
}

int main(void) {
	pthread_t thread;
	if (pando_start(NULL)) {
		fprintf(stderr, "%s\n", pando_error());
		return 1;
	}
	char *pages = (char *)mmap(NULL, 200 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pando_enter(&touch);
	for (int i = 0; i < 200; i++) pages[4096 * i] = 1;
	pando_leave();
	burning();
	pando_enter(&idle);
	for (int i = 0; i < 20; i++) usleep(1000);
	pando_leave();
	for (int i = 0; i < 100; i++) {
		pando_enter(&hidden);
		pando_leave();
	}
	pthread_create(&thread, NULL, second, NULL);
	pthread_join(thread, NULL);
	return 0;
}
