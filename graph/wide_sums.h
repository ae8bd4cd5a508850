// Sums of small floats are added up in float32. float16 has 11 bits and ends at 65504: a mean of
// 4096 ones that is added up in it is a half, and one of larger numbers is infinite. Internal to
// graph/.
#pragma once

#include <vector>

#include "te/operation.h"

namespace lathe::graph {

// The outputs of an operator, computed by the same program in which sums of floats of 16 and 8 bits
// are float32, and so are the terms of a sum and the functions of sums, up to the tensor that holds
// them: other tensors between keep their type. Outputs keep theirs. A program without such sums, or
// with operations other than computes, is given back as it is.
std::vector<te::Tensor> WithWideSums(std::vector<te::Tensor> outputs);

}  // namespace lathe::graph
