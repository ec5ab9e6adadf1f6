/* Loops, barriers, tasks and locks of OpenMP whose numbers are known: see TestOpenMP. */
#include <omp.h>
#include <stdio.h>

static int fibonacci(int n) {
	int a, b;
	if (n < 2) return n;
#pragma omp task shared(a)
	a = fibonacci(n - 1);
#pragma omp task shared(b)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void) {
	double sum = 0;
	int result = 0, inside = 0;
	omp_set_num_threads(3);
	omp_set_dynamic(0);
	for (int round = 0; round < 5; round++) {
#pragma omp parallel reduction(+ : sum)
		{
#pragma omp for
			for (int i = 0; i < 300; i++) sum += i;
#pragma omp barrier
#pragma omp for schedule(dynamic, 10) nowait
			for (int i = 0; i < 300; i++) sum += i;
#pragma omp critical
			inside++;
		}
	}
#pragma omp parallel
#pragma omp single
	result = fibonacci(6);
	printf("%g %d %d\n", sum, inside, result);
	return 0;
}
