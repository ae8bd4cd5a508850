// Transformations of loops that several templates use.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"

namespace lathe::topi::cpu {

// Does a kernel of so many arithmetic operations (or moved elements) gain from threads? Starting
// threads takes about as long as some ten thousand of either.
inline bool WorthThreads(double operations) { return operations >= 1 << 18; }

// The largest divisor of `extent` that is at most `most`; at least 1.
int64_t LargestDivisor(int64_t extent, int64_t most);

// Writes results of machine.StreamedBytes() or more past the caches, which are too small for them.
// Then cache lines need not be read first, and the caches keep what they hold. A consumer that
// reads the result at once loses if a cache would have held it (images of 24 MB lost a tenth with a
// cache of 32 MB). `axis` is the outermost loop over the results, which have `bytes` bytes in
// total.
void StreamResults(schedule::Stage& stage, const ir::IterVar& axis, int64_t bytes,
                   const target::Machine& machine);

// Vectorizes a row of a register tile, in separate vectors of `lanes`. One vector as wide as the
// row would work only for powers of two; for other widths LLVM generates poor code.
void VectorizeRow(schedule::Stage& stage, const ir::IterVar& axis, int64_t lanes);

// Vectorizes a long innermost loop, `vectors` vectors at a time.
void VectorizeInner(schedule::Stage& stage, const ir::IterVar& axis, int64_t vectors,
                    int64_t lanes);

// Reduces along the one reduction axis of `reduced` (its innermost loop) in `vectors` vectors side
// by side. Then combines these with each other and across their lanes, in a few operations. Returns
// the partial results in order; the caller must compute their stages where `reduced` is computed.
// Sums are added in another order than one by one, so they may round differently.
std::vector<ir::Tensor> ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced,
                                        int64_t vectors, int64_t lanes);
// The same for the innermost of several reduction loops, which has `extent` iterations.
std::vector<ir::Tensor> ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced,
                                        int64_t vectors, int64_t lanes, int64_t extent);

}  // namespace lathe::topi::cpu
