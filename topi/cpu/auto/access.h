// How a compute's elements depend on those of the tensors that it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::topi::cpu {

// An extent that is no constant counts as this: schedules must suit large sizes, and be right for
// all.
inline constexpr int64_t kUnknownExtent = 4096;
int64_t ExtentOf(const ir::IterVar& axis);
int64_t ExtentOf(const ir::Expr& extent);

// How the place of an access moves when one axis advances by 1.
struct AxisStep {
  bool used = false;   // does the axis occur in the indices?
  bool linear = true;  // by the same step everywhere
  int64_t step = 0;    // elements of the tensor's memory, row by row; where linear
};

// One load of a tensor in a compute's body.
struct Access {
  ir::Tensor tensor;
  std::vector<ir::Expr> indices;
  std::vector<AxisStep> steps;  // per axis of the compute: data axes, then reduce axes
  // How many of the first indices are the compute's first data axes, in order.
  size_t same_prefix = 0;
  // All indices are the data axes in order, and there are no others.
  bool elementwise = false;
  // Per dimension, where every index is the data axis of its number and a constant; else empty.
  std::vector<int64_t> offsets;

  bool Uses(size_t axis) const { return steps[axis].used; }
  // 1 apart in memory, or the same place.
  bool IsContiguous(size_t axis) const {
    return steps[axis].used && steps[axis].linear && steps[axis].step == 1;
  }
  bool IsVectorizable(size_t axis) const { return !steps[axis].used || IsContiguous(axis); }
};

// All loads of tensors in the bodies, equal ones once; of what is within indices too.
std::vector<Access> AccessesOf(const ir::ComputeOp& compute);

// What computing one element takes, without its reduction's repetitions.
struct BodyCost {
  int operations = 0;         // arithmetic, not that of indices
  bool has_function = false;  // exp and its like, divisions of floats
  bool has_condition = false;
};
BodyCost CostOf(const ir::ComputeOp& compute);

}  // namespace lathe::topi::cpu
