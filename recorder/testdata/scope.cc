// A program in C++: blocks record themselves, also where an exception leaves them.
#include "pando_record.h"

#include <stdexcept>

static void inside(bool fail) {
	PANDO_SCOPE("inside");
	if (fail) throw std::runtime_error("left early");
}

int main() {
	if (pando_start(nullptr)) return 1;
	PANDO_SCOPE("main");
	inside(false);
	try {
		inside(true);
	} catch (const std::exception &) {
	}
	return 0;
}
