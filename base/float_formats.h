// Conversions between double and every floating format of DLPack: float16, bfloat16, float32,
// float64, all float8 codes.
//
// The conversion is exact if the target can hold the value; otherwise it rounds to nearest, ties to
// even. A value beyond the largest finite one becomes infinity if the format has one, else NaN
// (formats named fn, fnuz, fnu). Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace lathe {

// The value of a bit pattern (in the low `dtype.bits()` bits). `dtype` must be a scalar floating
// type.
double DecodeFloat(uint64_t bits, DataType dtype);
// The nearest bit pattern. In a format without negative zero, zero is positive. float8_e8m0fnu has
// neither zero nor sign: negative values give NaN, and zero gives the smallest power of two.
uint64_t EncodeFloat(double value, DataType dtype);
// DecodeFloat(EncodeFloat(value)).
double RoundToType(double value, DataType dtype);

}  // namespace lathe
