// Functions of fixed-point numbers of 16 bits, bit for bit as TFLite's reference kernels compute
// them: with products of 16 bits, a polynomial and Newton's steps.
//
// A number with `integer` bits before the point is x / 2^(15 - integer). All functions are pure and
// thread-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace lathe::graph::tflite {

// For x from -2^15 to 2^15 - 1: the results, numbers without bits before the point.
std::vector<int64_t> SigmoidTable(int integer);  // 0 to 6
std::vector<int64_t> TanhTable(int integer);     // 0 to 6

}  // namespace lathe::graph::tflite
