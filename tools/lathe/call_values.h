// The arguments of a call as plain data: for the interpreter, and to compare results.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "driver/bisect/bisect.h"
#include "runtime/tensor.h"
#include "tools/lathe/call.h"

namespace lathe::cli {

// Copies a tensor, which may be on any device.
absl::StatusOr<driver::BisectArguments::Argument> ValueOf(std::string name,
                                                          const runtime::Tensor& tensor);
absl::StatusOr<driver::BisectArguments> ValuesOf(const Call& call);
// Sets the outputs to zeros, in both.
absl::Status ClearOutputs(const Call& call, driver::BisectArguments* values);

}  // namespace lathe::cli
