// The pipelines: which passes, in which order, and why there.
#pragma once

#include <span>

#include "lower/pass.h"

namespace lathe::lower {

// From the loop nest of a schedule to the contract stage `tile`: multi-dimensional buffers, all
// memory allocated.
std::span<const Pass> TilePasses();
// At `tile`, for one target: what the checked build adds, and what the target lacks.
std::span<const Pass> TargetPasses();
// From `tile` to `flat`, for host functions: flat buffers, vectors, packed functions, parallel
// regions outlined.
std::span<const Pass> FlatPasses();
// From `tile` to kernels and the host code that launches them, for targets with thread axes; the
// module stays at stage `tile`. lower::Separate takes the parts, of which the host's then goes
// through FlatPasses.
std::span<const Pass> DevicePasses();
// From `tile` to `flat`, for kernels.
std::span<const Pass> KernelPasses();
// TilePasses, TargetPasses and FlatPasses, in order: what `lathe lower --list-passes` shows.
std::vector<Pass> AllPasses();

}  // namespace lathe::lower
