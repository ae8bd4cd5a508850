// What kind of computation a stage is, as far as its schedule is concerned.
#pragma once

#include <vector>

#include "topi/cpu/auto/access.h"

namespace lathe::topi::cpu {

enum class Pattern {
  kOther,            // scans, statements by hand, tensor intrinsics: left alone
  kMap,              // each element by itself
  kRowReduction,     // what is combined lies side by side in memory: sums of rows
  kColumnReduction,  // what lies side by side belongs to different elements: sums of columns
  kContraction,      // products, convolutions: what is read serves many elements
};
const char* PatternName(Pattern pattern);

// Facts of a compute. Axes are numbered as Access::steps has them.
struct Facts {
  Pattern pattern = Pattern::kOther;
  const ir::ComputeOp* compute = nullptr;  // null with kOther
  std::vector<Access> accesses;
  BodyCost cost;
  double work = 0;  // operations of all elements

  // kContraction: sums of `row` x `vector` are kept in registers.
  size_t vector_axis = 0;  // lies side by side in the output
  size_t row_axis = 0;
  // The access that all rows share, by its number; -1 where only broadcast elements are shared.
  int shared = -1;
  bool shared_is_contiguous = true;  // along the vector axis
};

// `vector_bytes`: of the target; 0 where it has no vectors.
Facts FactsOf(const ir::OpNode& op, int64_t vector_bytes);

}  // namespace lathe::topi::cpu
