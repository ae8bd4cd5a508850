// Tensor programs computed straight from their definitions: the outermost oracle.
//
// No schedule, no bound inference, no lowering: every operation is computed whole, element by
// element and in definition order, through the loop-level interpreter (ir/interpreter/interpreter.h). What a
// scheduled, lowered, compiled program gives is compared with this.
#pragma once

#include <span>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "ir/tensor_op.h"

namespace lathe::te {

// `args` in calling order, as a compiled program has them: Tensors and Vars (symbolic extents and
// other scalars). Values correspond to them: placeholders are read; every other tensor is an
// output, computed, and stored into its value's memory (any strides). Symbolic extents bind at the
// tensors' shapes.
//
// A Select's dropped arm may load out of bounds, as lowering makes it safe (S27); every other such
// load is an error. In a scan, row t of an update may only read rows of the state before t (S49).
//
// Throws what the interpreter throws, and Error
//   evaluate-argument     a value does not fit its argument, or is missing
//   evaluate-unbound      a variable that no argument binds; a placeholder that is no argument
//   evaluate-scan-order   a row of a scan that needs a row of the state which is not there yet
//   evaluate-unsupported  an operation without a definition to compute from
//   tensor-intrin-invalid a tensor compute whose intrinsic has no sound reference; such operations
//                         are computed by their intrinsic's reference
// `options.constants`, call_packed and call_extern serve extern operations and calls. Thread-safe.
void Evaluate(const std::vector<ir::NodeRef>& args, std::span<const ir::InterpValue> values,
              ir::InterpretOptions options = {});

}  // namespace lathe::te
