// The pattern of a stage: the kind of its computation, as far as its schedule depends on it.
#pragma once

#include <vector>

#include "topi/cpu/auto/access.h"

namespace lathe::topi::cpu {

enum class Pattern {
  kOther,            // scans, statements written by hand, tensor intrinsics: not scheduled
  kMap,              // each element is computed by itself
  kRowReduction,     // the elements of one reduction are contiguous in memory: sums of rows
  kColumnReduction,  // contiguous elements belong to different results: sums of columns
  kDependent,        // sums over ranges that depend on other axes: loops keep their order
  kPool,             // reductions over windows of a few elements, in vectors of results
  kContraction,      // products, convolutions: each element that is read serves many results
};
const char* PatternName(Pattern pattern);

// Facts about a compute. Axes have the same numbers as in Access::steps.
struct Facts {
  Pattern pattern = Pattern::kOther;
  const ir::ComputeOp* compute = nullptr;  // null for kOther
  std::vector<Access> accesses;
  BodyCost cost;
  // How many of the first axes are loops around the stage already: the time of a scan.
  size_t taken = 0;
  double work = 0;  // operations for all elements together, of one step of the axes that are taken

  // For kMap: the axes by which the value is selected, as in
  // select(axis == 0, a, select(axis == 1, b, c)): the results of a transform (Winograd's, FFT's).
  // If such a loop is unrolled, nothing is left of the selection, and what several results share is
  // computed once. Only short axes that are not the last.
  std::vector<size_t> selecting;

  // For kContraction: sums of `row_axis` x `vector_axis` are kept in registers.
  size_t vector_axis = 0;  // contiguous in the output
  size_t row_axis = 0;
  // The number of the access that all rows share. -1 if they share only elements that are
  // broadcast.
  int shared = -1;
  bool shared_is_contiguous = true;  // along the vector axis
};

// Do windows of the reduction move along this data axis: does an index use it and a reduce axis?
bool MovesWindows(const Facts& facts, size_t axis);

// `vector_bytes` is that of the target; 0 if it has no vectors. `taken`: see Facts; no element is
// shared along these axes.
Facts FactsOf(const ir::OpNode& op, int64_t vector_bytes, size_t taken = 0);

}  // namespace lathe::topi::cpu
