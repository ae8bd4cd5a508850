// How the elements of a compute depend on the elements of the tensors that it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::topi::cpu {

// An extent that is not a constant counts as this. Schedules must be fast for large sizes, and
// correct for all sizes.
inline constexpr int64_t kUnknownExtent = 4096;
int64_t ExtentOf(const ir::IterVar& axis);
int64_t ExtentOf(const ir::Expr& extent);

// How the position of an access moves when one axis advances by 1.
struct AxisStep {
  bool used = false;   // does the axis occur in the indices?
  bool linear = true;  // is the step the same everywhere?
  int64_t step = 0;    // in elements of the tensor's row-major memory; valid if linear
};

// One load of a tensor in a compute's body.
struct Access {
  ir::Tensor tensor;
  std::vector<ir::Expr> indices;
  std::vector<AxisStep> steps;  // one per axis of the compute: data axes, then reduce axes
  // This many leading indices are the compute's leading data axes, in order.
  size_t same_prefix = 0;
  // The indices are all the data axes, in order, and nothing else.
  bool elementwise = false;
  // One offset per dimension, if every index is the data axis of the same number plus a constant;
  // else empty.
  std::vector<int64_t> offsets;

  bool Uses(size_t axis) const { return steps[axis].used; }
  // Steps by 1 element in memory. IsVectorizable also allows an axis that is not used.
  bool IsContiguous(size_t axis) const {
    return steps[axis].used && steps[axis].linear && steps[axis].step == 1;
  }
  bool IsVectorizable(size_t axis) const { return !steps[axis].used || IsContiguous(axis); }
};

// All loads of tensors in the bodies, also loads within indices. Equal loads are listed once.
std::vector<Access> AccessesOf(const ir::ComputeOp& compute);

// The cost of computing one element, without the repetitions of its reduction.
struct BodyCost {
  int operations = 0;         // arithmetic operations, without those of indices
  bool has_function = false;  // exp and similar functions, divisions of floats
  bool has_condition = false;
};
BodyCost CostOf(const ir::ComputeOp& compute);

}  // namespace lathe::topi::cpu
