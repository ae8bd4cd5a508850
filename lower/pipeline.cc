#include "lower/pipeline.h"

#include <algorithm>
#include <string_view>

#include "arith/simplify_stmt.h"
#include "lower/bind_arguments.h"
#include "lower/checked_build.h"
#include "lower/compact_realize.h"
#include "lower/cse.h"
#include "lower/device/allreduce.h"
#include "lower/device/barriers.h"
#include "lower/device/device_limits.h"
#include "lower/device/shared_memory.h"
#include "lower/device/split_device.h"
#include "lower/device/thread_axes.h"
#include "lower/device/verify_memory.h"
#include "lower/device/virtual_threads.h"
#include "lower/device/warp_memory.h"
#include "lower/flatten.h"
#include "lower/host_copies.h"
#include "lower/intrinsics.h"
#include "lower/legalize_dtypes.h"
#include "lower/loop_partition.h"
#include "lower/lower_errors.h"
#include "lower/narrow.h"
#include "lower/outline_parallel.h"
#include "lower/packed_calls.h"
#include "lower/prefetch.h"
#include "lower/software_pipeline.h"
#include "lower/storage_reuse.h"
#include "lower/unroll.h"
#include "lower/unswitch.h"
#include "lower/vectorize.h"
#include "lower/workspace.h"

namespace lathe::lower {
namespace {

ir::Module Simplify(const ir::Module& module, const PassContext&) {
  return MapFunctions(module, [](const ir::Func& func) { return arith::Simplify(func); });
}

constexpr Pass kTile[] = {
    {"compact_realize", "allocate what is realised, rebase its indices", CompactRealize,
     ir::Stage::kTile},
    {"software_pipeline", "what later iterations need is computed ahead", SoftwarePipeline,
     ir::Stage::kTile},
    {"prefetch", "prefetches of regions become requests for cache lines", LowerPrefetch,
     ir::Stage::kTile},
    {"simplify", "simplify expressions, drop what is proved", Simplify, ir::Stage::kTile},
    {"loop_partition", "cut loops where their bound guards are decided", LoopPartition,
     ir::Stage::kTile},
    {"simplify_pieces", "simplify the pieces, drop the empty ones", Simplify, ir::Stage::kTile},
};

// Replaces what a target does not have while loops still have their form; also for targets that
// take the module at `tile`.
constexpr Pass kTarget[] = {
    {"checked_build", "the checked build's assertions; claims are verified or taken away",
     CheckedBuild, ir::Stage::kTile},
    {"legalize_dtypes", "element types that the target lacks become wider ones", LegalizeDtypes,
     ir::Stage::kTile},
};

// Arguments are bound first, while buffers have the shapes that callers see. Memory is shared once
// sizes are plain numbers of elements, before vectors make copies per lane. Vectorization comes
// after flattening, where any access along the vectorized loop is one index; unrolling after
// vectorization, so that it copies vector statements. Intrinsics are last: no later pass should see
// the arithmetic that they become.
constexpr Pass kFlat[] = {
    {"bind_arguments", "packed functions: take, check and bind arguments", BindArguments,
     ir::Stage::kTile},
    {"packed_calls", "calls of packed functions go through the runtime's table", LowerPackedCalls,
     ir::Stage::kTile},
    {"flatten", "buffers of rank 1, one index", Flatten, ir::Stage::kTile},
    {"host_copies", "asynchronous copies of the host copy where they stand", LowerHostCopies,
     ir::Stage::kTile},
    {"storage_reuse", "temporary buffers that are not alive at once share memory", StorageReuse,
     ir::Stage::kTile},
    {"vectorize", "vectorized loops become vector expressions", Vectorize, ir::Stage::kTile},
    {"unroll", "unrolled loops become copies", Unroll, ir::Stage::kTile},
    {"simplify_flat", "simplify again, now on offsets and vectors", Simplify, ir::Stage::kTile},
    {"unswitch", "guards that a loop does not change are decided before it", Unswitch,
     ir::Stage::kTile},
    {"narrow", "index arithmetic in 32 bits where that is proved to suffice", Narrow,
     ir::Stage::kTile},
    {"plan_workspace",
     "how much scratch memory functions take; entries' allocations become places "
     "in theirs",
     PlanWorkspace, ir::Stage::kTile},
    {"outline_parallel", "parallel loops become functions for the thread pool", OutlineParallel,
     ir::Stage::kTile},
    {"lower_errors", "assertions become branches, large allocations workspace", LowerErrors,
     ir::Stage::kFlat},
    {"simplify_final", "simplify what the last passes made", Simplify, ir::Stage::kFlat},
    {"cse", "what is computed more than once is computed once", Cse, ir::Stage::kFlat},
    {"intrinsics", "calls of intrinsics become what the target has, by rules", LowerIntrinsics,
     ir::Stage::kFlat},
};

// Up to thread_axes, these keep the meaning of loops that run in order; thread_axes makes threads
// of them, and barriers then synchronises the threads. Memory is merged before that, so that
// barriers sees overlaps; virtual threads have become copies by then.
constexpr Pass kDevice[] = {
    {"virtual_threads", "virtual threads become interleaved copies", VirtualThreads,
     ir::Stage::kTile},
    {"allreduce", "reductions over threads become trees over shared memory", Allreduce,
     ir::Stage::kTile},
    {"verify_memory", "the host does not touch the device's memory", VerifyMemory,
     ir::Stage::kTile},
    {"thread_axes", "one loop per thread axis, at the top of its kernel", ThreadAxes,
     ir::Stage::kTile},
    {"warp_memory", "memory of warps lies in their lanes, and is read by shuffles", LowerWarpMemory,
     ir::Stage::kTile},
    {"shared_memory", "dynamic shared memory in one allocation", MergeSharedMemory,
     ir::Stage::kTile},
    {"simplify_kernels", "simplify guards and indices of kernels", Simplify, ir::Stage::kTile},
    {"barriers", "threads wait for each other where they share elements", InsertBarriers,
     ir::Stage::kTile},
    {"split_device", "kernels become functions that the host launches", SplitDevice,
     ir::Stage::kTile},
    {"device_limits", "what the device cannot run is refused", CheckDeviceLimits, ir::Stage::kTile},
};

constexpr Pass kKernel[] = {
    {"flatten", "buffers of rank 1, one index", Flatten, ir::Stage::kTile},
    {"storage_reuse", "temporary buffers that are not alive at once share memory", StorageReuse,
     ir::Stage::kTile},
    {"vectorize", "vectorized loops become vector expressions", Vectorize, ir::Stage::kTile},
    {"unroll", "unrolled loops become copies", Unroll, ir::Stage::kTile},
    {"simplify_flat", "simplify again, now on offsets and vectors", Simplify, ir::Stage::kTile},
    {"narrow", "index arithmetic in 32 bits where that is proved to suffice", Narrow,
     ir::Stage::kTile},
    {"simplify_final", "simplify what the last passes made", Simplify, ir::Stage::kFlat},
    {"cse", "what is computed more than once is computed once", Cse, ir::Stage::kFlat},
    {"intrinsics", "calls of intrinsics become what the target has, by rules", LowerIntrinsics,
     ir::Stage::kFlat},
};

}  // namespace

std::span<const Pass> DevicePasses() { return kDevice; }
std::span<const Pass> KernelPasses() { return kKernel; }
std::span<const Pass> TilePasses() { return kTile; }
std::span<const Pass> TargetPasses() { return kTarget; }
std::span<const Pass> FlatPasses() { return kFlat; }

std::vector<Pass> AllPasses() {
  std::vector<Pass> out(std::begin(kTile), std::end(kTile));
  out.insert(out.end(), std::begin(kTarget), std::end(kTarget));
  out.insert(out.end(), std::begin(kFlat), std::end(kFlat));
  return out;
}

std::vector<Pass> EveryPass() {
  std::vector<Pass> out = AllPasses();
  for (const std::span<const Pass> more : {DevicePasses(), KernelPasses()}) {
    for (const Pass& pass : more) {
      const bool known = std::any_of(out.begin(), out.end(), [&](const Pass& other) {
        return std::string_view(other.name) == pass.name;
      });
      if (!known) out.push_back(pass);
    }
  }
  return out;
}

}  // namespace lathe::lower
