// Schedules without a template: a space that follows from the structure of a program alone, for
// operators that nobody wrote a schedule for. The rules are those of Zheng et al., "Ansor:
// Generating High-Performance Tensor Programs for Deep Learning" (OSDI 2020), section 4.
//
//   inlining     an elementwise operation goes into its readers, or has a stage of its own
//   tiling       a reduction that uses elements of its inputs several times gets tiles of several
//                levels
//   fusion       such a reduction is computed in the tiles of the one elementwise operation that
//                reads it, or of a copy of its own (a cache stage)
//
// For processors with caches and vectors (tune/sketch/cpu_rules.cc) the tiles' levels are loops
// shared by threads, a tile for a cache, and one for registers; a reduction to few elements may be
// split into partial results side by side (rfactor); loops are shared by threads, in vectors,
// unrolled. For devices with threads in blocks (tune/sketch/gpu_rules.cc) they are blocks, threads,
// and the elements of a thread; what a step of the reduction reads may be copied to shared memory,
// and the threads of a block may share one reduction.
//
// Which rules apply, and the sizes of tiles, are knobs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "ir/node.h"
#include "target/target.h"
#include "tune/schedule_space.h"

namespace lathe::tune {

// The space of a program with these arguments, in calling order. Its `otherwise` is the point with
// which a search may begin: tiles that fit most machines. Fails with `tune-sketch-target` (a target
// that is neither a processor nor has threads in blocks), `tune-no-knobs` (no computation with a
// loop of constant extent, or operations that threads in blocks cannot share), and as
// target::CanonicalTarget does.
//
// `pre_transformed`: arguments whose order in memory is chosen, too. For processors with caches,
// their schedules copy them as a whole in the order in which tiles read them (what they are packed
// into is no choice), and schedule::PreTransform gives this order to the argument.
absl::StatusOr<ScheduleSpace> MakeSketchSpace(std::vector<ir::NodeRef> args, std::string name,
                                              const target::Target& target,
                                              const lower::PassContext& context,
                                              driver::CompileCache* cache,
                                              const std::vector<ir::Tensor>& pre_transformed = {});

}  // namespace lathe::tune
