// tensorize: the loops from one inwards become a call of a tensor intrinsic.
//
//   for io: for jo:                                    for io: for jo:
//     for ii in range(4): for ji in range(4):            dot4x4.reset on C[4*io :, 4*jo :]
//       C[4*io + ii, 4*jo + ji] = 0                      for ko:
//     for ko: for ii: for ji: for ki in range(4):  -->     dot4x4.update on the blocks of C, A, B
//       C[...] = C[...] + A[...] * B[...]
//
// Precondition: `axis` is a plain leaf of a compute. These conditions are checked when lowering,
// because axes may still be split and reordered (S20): the loops from `axis` inwards are plain,
// have constant extents, and need no guards and have no attached stages; they cover a block of the
// axes; the computation on that block is the intrinsic's reference (except for extents of 1;
// operands of commutative operations may be in either order); the operands' memory meets the
// intrinsic's requirements. Everything that is not proved to fit is refused. Outer reduction loops
// need the intrinsic's update, and also its reset unless they certainly run (then its body computes
// the first block).
//
// That the intrinsic's statements compute its reference is trusted (S51). The trace names an
// intrinsic that is registered for `target` ("": for all targets), and contains any other intrinsic
// itself.
//
// Errors: schedule-not-a-leaf, schedule-axis-annotated, schedule-tensorize-illegal; when lowering
// schedule-tensorize-illegal, schedule-tensorize-mismatch, schedule-tensorize-memory.
#pragma once

#include <string>

#include "schedule/schedule.h"

namespace lathe::schedule {

void Tensorize(Stage& stage, const IterVar& axis, Ref<const ir::TensorIntrinNode> intrin,
               const std::string& target = "");

}  // namespace lathe::schedule
