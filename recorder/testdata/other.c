/* A second file of a program that includes the header: both record together. */
#include "pando_record.h"

PANDO_REGION(elsewhere, "elsewhere");

void other_file(void) {
	pando_enter(&elsewhere);
	pando_leave();
}
