// Replaces element types that a target does not have by those that it has.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// Uses PassContext::supports, the target's abilities (the manifest's machine.dtypes):
//
// - Small floats (float16, bfloat16, float8) without "arithmetic": memory keeps the narrow type,
//   values are float32, and each operation is rounded once to the narrow type (ir/expr.h).
//
//     C[i] = A[i] * B[i]  -->  C[i] = bfloat16(float32(A[i]) * float32(B[i]))
//
//   Without "cast" too, memory is read and written as unsigned integers of the same size (a view of
//   the buffer), and conversions are arithmetic (lower/small_floats.h).
// - Integers of less than 8 bits without "arithmetic": values are int32 or uint32, wrapped to the
//   narrow type after each operation; memory, one element to a byte, is read and written as bytes.
// - Vectors of a type without "vector": loops whose lanes would store it stay loops; of bool, loops
//   whose lanes would have conditions.
//
// Parameters, constants and arguments of calls keep their buffers' types. Scalar parameters become
// the wider type and are rounded at the function's entry. Must run before vectors are made. Throws
// Error "legalize-unsupported" for types without a wider form: elements of several lanes of less
// than 8 bits, float8_e8m0fnu, calls of functions outside with values of such types.
ir::Module LegalizeDtypes(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
