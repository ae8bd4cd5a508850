// What kernels.c wants from another object.
#include <stdint.h>

int32_t callee_table[4] = {100, 200, 300, 400};
int32_t shared_name = 22;
static int32_t count;

int32_t CalleeScale(int32_t value) { return value * 10 + callee_table[3] / 400; }
int32_t CalleeCount(void) { return ++count; }
