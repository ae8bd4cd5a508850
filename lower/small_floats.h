// Floats of 16 and 8 bits as arithmetic on float32 and integers, for machines that have neither
// them nor conversions to them.
//
//   DecodeSmallFloat(bits: uint32, bfloat16)  -->  reinterpret<float32>(bits << 16)
//
// Branch-free, for any number of lanes. Rounding is to nearest, ties to even; subnormals are exact;
// beyond the largest finite value infinity where the format has one, NaN otherwise: what
// base/float_formats.h does, for every input (a NaN's payload aside).
//
// Source of the rounding by a magic addend: Hacker's Delight (Warren), section 17; of going from
// float64 through an odd float32: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums
// by round-to-odd" (2008).
#pragma once

#include "ir/expr.h"

namespace lathe::lower {

// float16, bfloat16 and the float8 formats that have a sign and a mantissa (not e8m0fnu).
bool IsSmallFloat(DataType dtype);

// float32: the value of the pattern in the low bits of `bits` (uint32, the other bits zero).
ir::Expr DecodeSmallFloat(const ir::Expr& bits, DataType dtype);
// uint32: the pattern nearest to `value` (float32).
ir::Expr EncodeSmallFloat(const ir::Expr& value, DataType dtype);
// float32: a float64 rounded so that EncodeSmallFloat of it rounds as from `value` itself.
ir::Expr OddFloat32(const ir::Expr& value);

}  // namespace lathe::lower
