// Decides whether the inner part of a stage's nest is the computation of a tensor intrinsic.
//
// The result is a proof or a refusal: anything that is not shown to be the same for all values of
// the outer loops is refused (S20). Internal to schedule/, except for MatchIntrin's result, which
// has the regions.
#pragma once

#include <vector>

#include "arith/analyzer.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// The region that one buffer of the intrinsic stands for in a stage's nest.
struct IntrinOperand {
  Tensor tensor;
  std::vector<Expr> mins;  // per dimension of the tensor, over the outer loops' variables
  std::vector<int> dims;   // which dimension of the tensor each of the operand's is; -1: extent 1
  bool whole = true;       // the reference reads every element of the operand
};

struct IntrinMatch {
  std::vector<IntrinOperand> operands;  // inputs, then outputs
  std::vector<Expr> scalars;            // the scalar parameters' values; may read tensors
};

// Matches the leaves [first, end) of `stage`, a compute, with `intrin`'s reference. `analyzer`
// knows the ranges of all leaves. Throws
//   schedule-tensorize-illegal   threads, annotations or guards within the part (S20)
//   schedule-tensorize-mismatch  another computation; shows both and the first difference
IntrinMatch MatchIntrin(const Stage& stage, size_t first, const ir::TensorIntrinNode& intrin,
                        const Bounds& bounds, arith::Analyzer* analyzer);

// The leaf that `tensorize` named; the number of leaves if there is none.
size_t TensorizedLeaf(const Stage& stage);

[[noreturn]] void IllegalTensorize(const Stage& stage, std::string what, std::string expected,
                                   std::string found, std::string help);

}  // namespace lathe::schedule
