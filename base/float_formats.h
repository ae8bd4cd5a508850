// Conversions between double and every floating format of DLPack: float16, bfloat16, float32,
// float64, all float8 codes.
//
// Exact where the target can hold the value, else rounded to nearest, ties to even. Beyond the
// largest finite value: infinity where the format has one, NaN otherwise (formats named fn, fnuz,
// fnu). Pure functions; any thread.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace lathe {

// The value of a bit pattern (in the low `dtype.bits()` bits). `dtype` is a scalar floating type.
double DecodeFloat(uint64_t bits, DataType dtype);
// The nearest bit pattern. Zero of a format without negative zero is positive; float8_e8m0fnu,
// which has neither zero nor sign, gives NaN for negative values and its smallest power for zero.
uint64_t EncodeFloat(double value, DataType dtype);
// DecodeFloat(EncodeFloat(value)).
double RoundToType(double value, DataType dtype);

}  // namespace lathe
