/* Reads lines of rules, a name, and whether it is recorded, and tells which the header decides otherwise. */
#include "pando_record.h"

int main(void) {
	char line[512];
	int checked = 0;
	while (fgets(line, sizeof line, stdin)) {
		char *name = strchr(line, '\t'), *recorded = name ? strchr(name + 1, '\t') : NULL;
		if (*line == '#' || !recorded) continue;
		*name++ = *recorded++ = '\0';
		if (pando_filtered(line, name) == (strncmp(recorded, "yes", 3) == 0)) printf("rules \"%s\" and \"%s\" are not %s", line, name, recorded);
		checked++;
	}
	printf("%d checked\n", checked);
	return 0;
}
