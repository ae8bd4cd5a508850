// Computes tensor programs directly from their definitions: the outermost oracle.
//
// No schedule, no bound inference, no lowering: every operation is computed completely, element by
// element and in definition order, by the loop-level interpreter (ir/interpreter/interpreter.h).
// Tests compare the results of scheduled, lowered and compiled programs with this.
#pragma once

#include <span>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "ir/tensor_op.h"

namespace lathe::te {

// `args` are the arguments of the compiled program, in calling order: Tensors and Vars (symbolic
// extents and other scalars). values[i] belongs to args[i]. Placeholders are read. Every other
// tensor is an output: it is computed and stored into the memory of its value, which may have any
// strides. Symbolic extents take their values from the tensors' shapes.
//
// The arm of a Select that is not chosen may load out of bounds, because lowering makes it safe
// (S27). Every other load out of bounds is an error. In a scan, row t of an update may only read
// rows of the state before t (S49).
//
// Throws what the interpreter throws, and Error
//   evaluate-argument     a value does not fit its argument, or is missing
//   evaluate-unbound      no argument binds a variable, or a placeholder is not an argument
//   evaluate-scan-order   a row of a scan needs a row of the state that is not computed yet
//   evaluate-unsupported  an operation has no definition that can be computed
//   tensor-intrin-invalid a tensor compute whose intrinsic has no sound reference; such operations
//                         are computed by their intrinsic's reference
// Extern operations and calls use `options.constants`, call_packed and call_extern. Thread-safe.
void Evaluate(const std::vector<ir::NodeRef>& args, std::span<const ir::InterpValue> values,
              ir::InterpretOptions options = {});

}  // namespace lathe::te
