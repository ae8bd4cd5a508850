#include "lower/pipeline.h"

#include "arith/simplify_stmt.h"
#include "lower/bind_arguments.h"
#include "lower/compact_realize.h"
#include "lower/cse.h"
#include "lower/flatten.h"
#include "lower/intrinsics.h"
#include "lower/loop_partition.h"
#include "lower/lower_errors.h"
#include "lower/narrow.h"
#include "lower/outline_parallel.h"
#include "lower/packed_calls.h"
#include "lower/storage_reuse.h"
#include "lower/unroll.h"
#include "lower/vectorize.h"

namespace lathe::lower {
namespace {

ir::Module Simplify(const ir::Module& module, const PassContext&) {
  return MapFunctions(module, [](const ir::Func& func) { return arith::Simplify(func); });
}

constexpr Pass kTile[] = {
    {"compact_realize", "allocate what is realised, rebase its indices", CompactRealize,
     ir::Stage::kTile},
    {"simplify", "simplify expressions, drop what is proved", Simplify, ir::Stage::kTile},
    {"loop_partition", "cut loops where their bound guards are decided", LoopPartition,
     ir::Stage::kTile},
    {"simplify_pieces", "simplify the pieces, drop the empty ones", Simplify, ir::Stage::kTile},
};

// Arguments are bound first, while buffers have the shapes that callers see. Memory is shared once
// sizes are plain numbers of elements, before vectors make copies per lane. Vectors come after
// flattening, where any access along the vectorized loop is one index; unrolling after vectors, so
// that it copies vector statements. Intrinsics are last: nothing that comes after should look into
// the arithmetic they become.
constexpr Pass kFlat[] = {
    {"bind_arguments", "packed functions: take, check and bind arguments", BindArguments,
     ir::Stage::kTile},
    {"packed_calls", "calls of packed functions go through the runtime's table", LowerPackedCalls,
     ir::Stage::kTile},
    {"flatten", "buffers of rank 1, one index", Flatten, ir::Stage::kTile},
    {"storage_reuse", "temporary buffers that are not alive at once share memory", StorageReuse,
     ir::Stage::kTile},
    {"vectorize", "vectorized loops become vector expressions", Vectorize, ir::Stage::kTile},
    {"unroll", "unrolled loops become copies", Unroll, ir::Stage::kTile},
    {"simplify_flat", "simplify again, now on offsets and vectors", Simplify, ir::Stage::kTile},
    {"narrow", "index arithmetic in 32 bits where that is proved to suffice", Narrow,
     ir::Stage::kTile},
    {"outline_parallel", "parallel loops become functions for the thread pool", OutlineParallel,
     ir::Stage::kTile},
    {"lower_errors", "assertions become branches, large allocations workspace", LowerErrors,
     ir::Stage::kFlat},
    {"simplify_final", "simplify what the last passes made", Simplify, ir::Stage::kFlat},
    {"cse", "what is computed more than once is computed once", Cse, ir::Stage::kFlat},
    {"intrinsics", "calls of intrinsics become what the target has, by rules", LowerIntrinsics,
     ir::Stage::kFlat},
};

}  // namespace

std::span<const Pass> TilePasses() { return kTile; }
std::span<const Pass> FlatPasses() { return kFlat; }

std::vector<Pass> AllPasses() {
  std::vector<Pass> out(std::begin(kTile), std::end(kTile));
  out.insert(out.end(), std::begin(kFlat), std::end(kFlat));
  return out;
}

}  // namespace lathe::lower
