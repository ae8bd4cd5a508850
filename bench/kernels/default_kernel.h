// A case's computation with the default schedule.
#pragma once

#include "bench/kernels/cases.h"

namespace lathe::bench {

// Whether the case has a default schedule to compare with. Products of narrow types have none: they
// are described in the operands of the machine's instructions.
bool HasDefault(const Case& of);
// The limit that docs/design/default_schedules.md promises, as a multiple of the hand-written
// schedule's time.
double DefaultLimit(const Case& of);

// A kernel with the arguments of `hand`, scheduled by AutoSchedule. The templates describe products
// in panels; here products are the plain sums.
topi::cpu::Kernel DefaultKernel(const Case& of, const topi::cpu::Kernel& hand,
                                const target::Machine& machine);

}  // namespace lathe::bench
