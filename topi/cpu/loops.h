// What templates do with loops again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"

namespace lathe::topi::cpu {

// A kernel of so many arithmetic operations (or elements moved) gains from threads: starting them
// takes about as long as some ten thousand of either.
inline bool WorthThreads(double operations) { return operations >= 1 << 18; }

// Results of machine.StreamedBytes() and more go past the caches, which are too small for them:
// lines need not be read first, and what the caches hold stays. Whoever reads the result at once
// loses where a cache would have held it (images of 24 MB lost a tenth beside a cache of 32).
// `axis`: the outermost loop over the results, which are `bytes` in all.
void StreamResults(schedule::Stage& stage, const ir::IterVar& axis, int64_t bytes,
                   const target::Machine& machine);

// A row of a register tile, its vectors of `lanes` one by one. Vectors as wide as the row would do
// where that is a power of two; LLVM makes poor code of others.
void VectorizeRow(schedule::Stage& stage, const ir::IterVar& axis, int64_t lanes);

// A long innermost loop: `vectors` vectors at a time.
void VectorizeInner(schedule::Stage& stage, const ir::IterVar& axis, int64_t vectors,
                    int64_t lanes);

// Reduces the one reduction axis of `reduced` (its innermost loop) in `vectors` vectors side by
// side, which are then combined with each other and across their lanes, a few operations each.
// Returns the partial results in order; their stages are to be computed where `reduced` is. Sums
// round in another order than one by one.
std::vector<ir::Tensor> ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced,
                                        int64_t vectors, int64_t lanes);
// The same along the innermost of several loops, of `extent` iterations.
std::vector<ir::Tensor> ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced,
                                        int64_t vectors, int64_t lanes, int64_t extent);

}  // namespace lathe::topi::cpu
