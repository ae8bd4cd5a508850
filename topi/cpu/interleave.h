// Pixels of three interleaved channels as three vectors, and back: what images with channels last
// need so that arithmetic on them runs in vectors.
//
// A vector of every third element would be a gather; three neighbouring vectors and shuffles are
// not. Written as one load of all elements and a shuffle for each channel (one shuffle and one
// store the other way round), which LLVM turns into ld3 and st3 on aarch64 and into permutations of
// registers on x86-64.
#pragma once

#include <cstdint>

#include "target/machine.h"
#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// How many of `pixels` pixels to take at a time: one vector of each channel, of bytes two where
// vectors have 64 of them (RGB to YUV, AVX-512: 0.37 ms where one took 0.57; of float32 as fast as
// one). 0 where that does not divide them.
int64_t PixelsAtATime(int64_t pixels, DataType dtype, const target::Machine& machine);

// planes[c, i] = pixels[i, c] for `lanes` pixels of `channels` (2 to 4) channels. Registered for
// all targets as "deinterleave_<lanes>x<channels>_<dtype>".
te::TensorIntrin Deinterleave(int64_t lanes, int64_t channels, DataType dtype);

// pixels[i, c] = planes[c, i]. "interleave_<lanes>x<channels>_<dtype>".
te::TensorIntrin Interleave(int64_t lanes, int64_t channels, DataType dtype);

}  // namespace lathe::topi::cpu
