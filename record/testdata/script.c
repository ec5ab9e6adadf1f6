/* Plays a script: lines of "e REGION TICKS", "l TICKS", "s TICKS" (a message is sent, whose tag is the rest of the ticks by 1000, or another event, or a marker) and "m TICKS" (a value of a metric), "c OUTSIDE WANTED FILTER TICKS" (it is steered). */
#include <inttypes.h>
static uint64_t ticks = (uint64_t)1 << 50;
#define PANDO_CLOCK() ticks
#include "pando_record.h"

enum { regions = 9 };

/* The rules of reduction_test.go. */
static const char *const filters[] = {"", "!region 3", "!region 3; ?region 3", "region 1; *4", "!*; *; !region 5"};

/* steer does what the program itself wants, or what another process asks for: outside. */
static void steer(unsigned outside, unsigned wanted, const char *rules) {
	unsigned char *m = pando_it->mem;
	if (!outside) {
		pando_steered(wanted, rules);
		return;
	}
	memset(m + pando_at_rules, 0, pando_head - pando_at_rules);
	strcpy((char *)m + pando_at_rules, rules);
	pando_put32(m + pando_at_wanted, wanted);
	pando_put32(m + pando_at_asked, pando_get32(m + pando_at_asked) + 1);
	__atomic_fetch_or(pando_it->attention, 1, __ATOMIC_RELEASE);
	pando_attend(pando_me);
}

/* mark records a marker with the text of markText in marker_test.go. */
static void mark(pando_marker *marker) {
	static char text[2100];
	unsigned n = (unsigned)(ticks / 8 % 250);
	memset(text, '*', 8 * n);
	snprintf(text + 8 * n, sizeof text - 8 * n, "%u", n);
	pando_mark(marker, text);
}

int main(int argc, char **argv) {
	static pando_region region[regions];
	static char names[regions][16];
	pando_metric load = {"load", "1", 0};
	pando_marker marker = {"group", "category", 3, 0};
	pando_options options;
	char op;
	memset(&options, 0, sizeof options);
	if (argc != 7) return 2;
	options.dir = argv[1];
	options.budget = strtoull(argv[2], NULL, 10);
	options.mode = atoi(argv[3]);
	options.reduce = argv[4];
	options.phases = argv[5];
	if (pando_start(&options)) {
		fprintf(stderr, "%s\n", pando_error());
		return 1;
	}
	for (int i = 0; i < atoi(argv[6]); i++) {
		static pando_region other[200];
		static char called[200][16];
		snprintf(called[i], sizeof called[i], "other %d", i);
		other[i].name = called[i];
		other[i].role = other[i].paradigm = 1;
		pando_number(&other[i]);
	}
	for (int i = 0; i < regions; i++) {
		snprintf(names[i], sizeof names[i], "region %d", i);
		region[i].name = names[i];
		region[i].role = region[i].paradigm = 1;
		pando_number(&region[i]);
	}
	pando_thread("main");
	pando_metric_number(&load);
	pando_marker_number(&marker);
	while (scanf(" %c", &op) == 1) {
		unsigned number = 0;
		unsigned outside = 0, wanted = 0;
		if (op == 'c' && scanf("%u %u", &outside, &wanted) != 2) return 2;
		if ((op == 'e' || op == 'c') && (scanf("%u", &number) != 1 || number >= regions)) return 2;
		if (scanf("%" SCNu64, &ticks) != 1) return 2;
		switch (op) {
		case 'e': pando_enter(&region[number]); break;
		case 'l': pando_leave(); break;
		case 's': /* as tests in Go have it */
			if (ticks % 8 == 5) mark(&marker);
			else if (ticks % 4 == 0) pando_event(20, (uint64_t[]){ticks / 16}, 1);
			else pando_send(PANDO_WORLD, 1, (uint32_t)(ticks % 3 == 0 ? ticks % 1000 : ticks % 5), 80);
			break;
		case 'c': steer(outside, wanted, filters[number % 5]); break;
		case 'm': pando_value(&load, 5); break;
		}
	}
	return 0;
}
