#include <omp-tools.h>

int main(void) { return 0; }
