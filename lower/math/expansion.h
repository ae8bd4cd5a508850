// Elementary functions of float32 as ordinary arithmetic, for any number of lanes, without a call
// and without a branch.
//
//   exp(x: float32x16)  -->  let m0 = select(x > 89, 89, x) in ... in m7 * m8 * m9
//
// What results is target independent: additions, multiplications, divisions, comparisons, selects,
// shifts and reinterpretations. A multiplication may be contracted with the addition that takes it,
// or not: both are within the bounds below. Rounding is to nearest; subnormal numbers are kept
// where the machine keeps them.
//
// Largest error in units of the last place of the exact result (lower/math:exhaustive prints it),
// the greater of without and with contraction. Over all 2^32 inputs:
//
//   exp 1.19, exp2 1.19, log 1.36, log2 1.87, log10 1.34, tanh 1.96
//
// and for magnitudes from 2^-30 to 2^8, sampled elsewhere: sigmoid below 2, erf 1.34.
//
// Special values: NaN gives NaN. exp, exp2: -inf gives 0, inf gives inf, overflow inf, underflow
// rounds to subnormals and 0. log*: 0 (of either sign) gives -inf, negative numbers NaN, inf gives
// inf; subnormals are served exactly as others. tanh, erf: odd, +-0 gives +-0, +-inf gives +-1.
// sigmoid: -inf gives 0, inf gives 1.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace lathe::lower {

// The names above.
const std::vector<std::string>& ExpandedFunctions();

// What the target has beside arithmetic.
struct MathOptions {
  bool scalb = false;  // the intrinsic scalb, as one instruction: the same results, in fewer steps
};

// The value of a call of one of these functions of one argument, float32 of any lanes; null for
// anything else.
ir::Expr ExpandMathCall(const ir::Call& call, const MathOptions& options = {});

// Every such call in `stmt` written out. (Compilation goes by rules, lower/intrinsics.h, which
// serve smaller floats too.)
ir::Stmt ExpandMath(const ir::Stmt& stmt, const MathOptions& options = {});

}  // namespace lathe::lower
