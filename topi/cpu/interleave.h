// Converts pixels of three interleaved channels to three vectors and back. Images with channels
// last need this so that arithmetic on them runs in vectors.
//
// Loading every third element into a vector would be a gather. Three adjacent vectors and shuffles
// avoid that. The IR is one load of all elements and a shuffle for each channel (in the other
// direction one shuffle and one store). LLVM turns it into ld3 and st3 on aarch64 and into
// permutations of registers on x86-64.
#pragma once

#include <cstdint>

#include "target/machine.h"
#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// How many of `pixels` pixels to take at a time: one vector of each channel, or two for bytes if
// vectors have 64 bytes (RGB to YUV with AVX-512 takes 0.37 ms with two and 0.57 ms with one; for
// float32 both are equally fast). 0 if not even one vector divides `pixels`.
int64_t PixelsAtATime(int64_t pixels, DataType dtype, const target::Machine& machine);

// planes[c, i] = pixels[i, c] for `lanes` pixels of `channels` (2 to 4) channels. Registered for
// all targets as "deinterleave_<lanes>x<channels>_<dtype>".
te::TensorIntrin Deinterleave(int64_t lanes, int64_t channels, DataType dtype);

// pixels[i, c] = planes[c, i]. Registered for all targets as
// "interleave_<lanes>x<channels>_<dtype>".
te::TensorIntrin Interleave(int64_t lanes, int64_t channels, DataType dtype);

}  // namespace lathe::topi::cpu
