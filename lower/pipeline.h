// The pipelines: the passes, their order, and the reasons for it.
#pragma once

#include <span>

#include "lower/pass.h"

namespace lathe::lower {

// From the loop nest of a schedule to the contract stage `tile`: multi-dimensional buffers, all
// memory allocated.
std::span<const Pass> TilePasses();
// At `tile`, for one target: the checks of the checked build, and replacements for what the target
// lacks.
std::span<const Pass> TargetPasses();
// From `tile` to `flat`, for host functions: flat buffers, vectors, packed functions, parallel
// regions outlined.
std::span<const Pass> FlatPasses();
// From `tile` to kernels and the host code that launches them, for targets with thread axes; the
// module stays at stage `tile`. lower::Separate then splits it, and the host's part goes through
// FlatPasses.
std::span<const Pass> DevicePasses();
// From `tile` to `flat`, for kernels.
std::span<const Pass> KernelPasses();
// TilePasses, TargetPasses and FlatPasses, in order: what host functions go through.
std::vector<Pass> AllPasses();
// Those, and then what only kernels go through; each name once. For lists that people choose from.
std::vector<Pass> EveryPass();

}  // namespace lathe::lower
