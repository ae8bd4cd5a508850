// Floats of 16 and 8 bits as arithmetic on float32 and integers, for machines that have neither
// these types nor conversions to them.
//
//   DecodeSmallFloat(bits: uint32, bfloat16)  -->  reinterpret<float32>(bits << 16)
//
// Branch-free, for any number of lanes. Rounds to nearest, ties to even; subnormals are exact;
// values beyond the largest finite one give infinity if the format has it, else NaN. For every
// input the result is that of base/float_formats.h (except a NaN's payload).
//
// Source of the rounding by a magic addend: Hacker's Delight (Warren), section 17. Source of the
// conversion of float64 through an odd float32: Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums by round-to-odd" (2008).
#pragma once

#include "ir/expr.h"

namespace lathe::lower {

// float16, bfloat16 and the float8 formats that have a sign and a mantissa (not e8m0fnu).
bool IsSmallFloat(DataType dtype);

// float32: the value of the bit pattern in the low bits of `bits` (uint32, the other bits zero).
ir::Expr DecodeSmallFloat(const ir::Expr& bits, DataType dtype);
// uint32: the bit pattern nearest to `value` (float32).
ir::Expr EncodeSmallFloat(const ir::Expr& value, DataType dtype);
// float32: `value` (float64) rounded so that EncodeSmallFloat gives the same result as for `value`
// itself.
ir::Expr OddFloat32(const ir::Expr& value);

}  // namespace lathe::lower
