/* Does as it is told: for each line with a number, so many calls, and a line when they have ended. */
#include "pando_record.h"

PANDO_REGION(outer, "outer");
PANDO_REGION(inner, "inner");

int main(void) {
	int n;
	if (pando_start(NULL)) {
		fprintf(stderr, "%s\n", pando_error());
		return 1;
	}
	pando_enter(&outer);
	while (scanf("%d", &n) == 1) {
		for (int i = 0; i < n; i++) {
			pando_enter(&inner);
			pando_leave();
		}
		pando_send(PANDO_WORLD, 0, 1, (uint64_t)n);
		printf("%d\n", n);
		fflush(stdout);
	}
	pando_leave();
	return 0;
}
