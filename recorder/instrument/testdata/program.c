/* A program of which all functions are recorded: recursion, what is inlined, what longjmp leaves, threads. */
#include <pthread.h>
#include <setjmp.h>

double from_c(double);

static jmp_buf home;

static inline int small(int a) { return a + 1; }

static void far(void) { longjmp(home, 1); }

static void middle(void) { far(); }

static int recursive(int n) { return n ? recursive(n - 1) + small(n) : 0; }

static void *work(void *unused) {
	for (int i = 0; i < 10; i++) recursive(2);
	return unused;
}

int main(void) {
	pthread_t t;
	double s = from_c(-1);
	if (!setjmp(home)) middle();
	for (int i = 0; i < 100; i++) s += from_c(i) + recursive(3);
	if (pthread_create(&t, 0, work, 0) || pthread_join(t, 0)) return 1;
	return s < 0;
}
