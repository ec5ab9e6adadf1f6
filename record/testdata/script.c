/* Plays a script: lines of "e REGION TICKS", "l TICKS", "s TICKS" (a message is sent) and "m TICKS" (a value of a metric). */
#include <inttypes.h>
static uint64_t ticks = (uint64_t)1 << 50;
#define PANDO_CLOCK() ticks
#include "pando_record.h"

enum { regions = 9 };

int main(int argc, char **argv) {
	static pando_region region[regions];
	static char names[regions][16];
	pando_metric load = {"load", "1", 0};
	pando_options options;
	char op;
	memset(&options, 0, sizeof options);
	if (argc != 4) return 2;
	options.dir = argv[1];
	options.budget = strtoull(argv[2], NULL, 10);
	options.mode = atoi(argv[3]);
	if (pando_start(&options)) {
		fprintf(stderr, "%s\n", pando_error());
		return 1;
	}
	for (int i = 0; i < regions; i++) {
		snprintf(names[i], sizeof names[i], "region %d", i);
		region[i].name = names[i];
		region[i].role = region[i].paradigm = 1;
		pando_number(&region[i]);
	}
	pando_thread("main");
	pando_metric_number(&load);
	while (scanf(" %c", &op) == 1) {
		unsigned number = 0;
		if (op == 'e' && (scanf("%u", &number) != 1 || number >= regions)) return 2;
		if (scanf("%" SCNu64, &ticks) != 1) return 2;
		switch (op) {
		case 'e': pando_enter(&region[number]); break;
		case 'l': pando_leave(); break;
		case 's': pando_send(PANDO_WORLD, 1, 7, 80); break;
		case 'm': pando_value(&load, 5); break;
		}
	}
	return 0;
}
