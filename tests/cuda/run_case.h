// Runs a case on a device: a real one or the fake driver's.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lathe/abi/value.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "tests/check/check_passes.h"
#include "tests/cuda/kernels.h"

namespace lathe {

// The arguments of a case in the memory of `device` ("cuda:0").
struct DeviceArguments {
  DeviceArguments(const lower::TestArguments& from, const std::string& device);
  absl::Status Call(const runtime::Module& module, const std::string& function) const;

  std::vector<runtime::Tensor> tensors;  // one for each argument; null for a number
  std::vector<lathe_value> values;
};

// Runs `module`, which was built from `loops`, on `device`. Returns "" if all results equal those
// of te's evaluator bit by bit; otherwise says what differs.
std::string CheckCase(const Case& test, const runtime::Module& module, const ir::Module& loops,
                      const std::string& device);

}  // namespace lathe
