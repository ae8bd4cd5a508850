// tensorize: the loops from one inwards become a call of a tensor intrinsic.
//
//   for io: for jo:                                    for io: for jo:
//     for ii in range(4): for ji in range(4):            dot4x4.reset on C[4*io :, 4*jo :]
//       C[4*io + ii, 4*jo + ji] = 0                      for ko:
//     for ko: for ii: for ji: for ki in range(4):  -->     dot4x4.update on the blocks of C, A, B
//       C[...] = C[...] + A[...] * B[...]
//
// Precondition: `axis` is a plain leaf of a compute. Checked when lowering, since splits and
// reorders may still come (S20): the loops from `axis` inwards are plain, of constant extents, free
// of guards and of attached stages; they run over a block of the axes; the computation on that
// block is the intrinsic's reference (extents of 1 aside, operands of commuting operations in
// either order); the operands' memory meets what the intrinsic demands. What is not proved to fit
// is refused. Reduction loops outside need the intrinsic's update, and its reset unless they surely
// run (then its body does the first block).
//
// The intrinsic's statements are trusted to do what its reference says (S51). The trace names an
// intrinsic that is registered for `target` ("": for all), and holds any other itself.
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
