// Elementary functions of float32 as ordinary arithmetic, for any number of lanes, without a call and without a branch.
//
//   exp(x: float32x16)  -->  let m0 = select(x > 89, 89, x) in ... in m7 * m8 * m9
//
// What results is target independent: additions, multiplications, divisions, comparisons, selects, shifts and
// reinterpretations. A multiplication may be contracted with the addition that takes it, or not: both are within the
// bounds below. Rounding is to nearest; subnormal numbers are kept where the machine keeps them.
//
// Largest error over all 2^32 inputs in units of the last place of the correctly rounded result (lower/math:exhaustive
// prints it, without and with contraction):
//
//   exp 1.00, exp2 1.00, log 1.00, log2 1.00, log10 1.00, tanh 1.00, sigmoid 1.00, erf 1.00
//
// Special values: NaN gives NaN. exp, exp2: -inf gives 0, inf gives inf, overflow inf, underflow rounds to subnormals
// and 0. log*: 0 (of either sign) gives -inf, negative numbers NaN, inf gives inf; subnormals are served exactly as
// others. tanh, erf: odd, +-0 gives +-0, +-inf gives +-1. sigmoid: -inf gives 0, inf gives 1.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace lathe::lower {

class PassContext;

// The names above.
const std::vector<std::string>& ExpandedFunctions();

// The value of a call of one of these functions of one argument, float32 of any lanes; null for anything else.
ir::Expr ExpandMathCall(const ir::Call& call);

// Writes out these functions wherever they are called: float32 as above, float16, bfloat16 and float8 through float32.
// float64 stays a call.
ir::Stmt ExpandMath(const ir::Stmt& stmt);
// The same as a pass, for targets that have no such functions of their own (CPUs). Last in the pipeline: nothing that
// comes after should look into the arithmetic.
ir::Module ExpandMathFunctions(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
