// A case's computation with the schedule that the compiler makes by itself.
#pragma once

#include "bench/kernels/cases.h"

namespace lathe::bench {

// Whether there is one to compare with: products of narrow types are described in the operands of
// the machine's instructions.
bool HasDefault(const Case& of);
// What docs/design/default_schedules.md promises: at most so many times the hand schedule's time.
double DefaultLimit(const Case& of);

// The same arguments as `hand`, the schedule by AutoSchedule. Products of the templates are
// described in panels; here they are the plain sums.
topi::cpu::Kernel DefaultKernel(const Case& of, const topi::cpu::Kernel& hand,
                                const target::Machine& machine);

}  // namespace lathe::bench
