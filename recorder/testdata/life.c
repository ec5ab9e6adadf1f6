/* Ways in which programs live and end: life WAY. Standard output says how many calls have left. */
#include "pando_record.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

PANDO_REGION(outer, "outer");
PANDO_REGION(inner, "inner");
PANDO_REGION(handler, "handler");

void other_file(void);

static void calls(int n) {
	for (int i = 0; i < n; i++) {
		pando_enter(&inner);
		pando_leave();
	}
}

static void *work(void *unused) {
	(void)unused;
	pando_enter(&outer);
	calls(1000);
	pando_leave();
	return NULL;
}

/* threads: 40 threads, four at a time, each of which has ended before the next four begin. */
static void threads(void) {
	pthread_t t[4];
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, NULL);
		for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	}
}

/* child: a child of fork records nothing, and its parent goes on. */
static void child(void) {
	pid_t pid;
	pando_enter(&outer);
	if ((pid = fork()) == 0) {
		calls(1000);
		pando_leave();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	calls(1000);
	pando_leave();
}

static volatile sig_atomic_t handled;

static void on_alarm(int signal) {
	(void)signal;
	pando_enter(&handler);
	pando_leave();
	handled++;
}

/* signals: a handler records, whatever it interrupts. */
static void signals(void) {
	struct sigaction a;
	struct itimerval every = {{0, 100}, {0, 100}};
	memset(&a, 0, sizeof a);
	a.sa_handler = on_alarm;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (handled < 500) calls(1000);
	memset(&every, 0, sizeof every);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* forever: calls until it is killed, after each thousand of which it says so. */
static void forever(void) {
	pando_enter(&outer);
	for (int n = 1000;; n += 1000) {
		calls(1000);
		printf("%d\n", n);
		fflush(stdout);
	}
}

/* odd: leaves that were never entered, calls that are too deep, and one that is open at the end. */
static void odd(void) {
	pando_leave();
	pando_leave();
	for (int i = 0; i < 300; i++) pando_enter(&inner);
	for (int i = 0; i < 300; i++) pando_leave();
	pando_enter(&outer);
}

static void *unmapped(void *unused) {
	struct rlimit before, none;
	(void)unused;
	getrlimit(RLIMIT_AS, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_AS, &none);
	calls(1000);
	setrlimit(RLIMIT_AS, &before);
	return NULL;
}

/* memory: a thread that there is no memory for, between calls of one that has some. */
static void memory(void) {
	pthread_t t;
	calls(5);
	pthread_create(&t, NULL, unmapped, NULL);
	pthread_join(t, NULL);
	calls(1000);
}

int main(int argc, char **argv) {
	const char *way = argc > 1 ? argv[1] : "";
	calls(10); /* nothing records yet */
	if (pando_start(NULL)) {
		fprintf(stderr, "%s\n", pando_error());
		return 1;
	}
	if (!strcmp(way, "threads")) threads();
	if (!strcmp(way, "child")) child();
	if (!strcmp(way, "signals")) signals();
	if (!strcmp(way, "forever")) forever();
	if (!strcmp(way, "odd")) odd();
	if (!strcmp(way, "memory")) memory();
	if (!strcmp(way, "files")) {
		calls(1);
		other_file();
	}
	if (!strcmp(way, "exit") || !strcmp(way, "quick_exit") || !strcmp(way, "_exit") || !strcmp(way, "exec")) {
		calls(5);
		if (way[1] == 'x' && way[2] == 'i') exit(0);
		if (way[0] == 'q') quick_exit(0);
		if (way[0] == '_') _exit(0);
		execl("/bin/true", "true", (char *)NULL);
	}
	if (!strcmp(way, "closed")) {
		calls(5);
		pando_close();
		calls(1000);
	}
	return 0;
}
