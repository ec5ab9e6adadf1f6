#include <otf2/otf2.h>

int main(void) { return 0; }
