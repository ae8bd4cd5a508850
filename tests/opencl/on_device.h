// Programs on an OpenCL device against te's evaluator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::opencl_tests {

// Finds the plugins. Call it first.
void UsePlugins();

// Builds the schedule for `target` and runs it on opencl(0) for every binding of `vars` in `sizes`. "",
// or what is wrong; what Lower and Build throw is thrown.
std::string CheckOnDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& vars = {},
                          const std::vector<std::vector<int64_t>>& sizes = {{}},
                          const std::string& target = "opencl");
std::string CheckOnDevice(const schedule::Schedule& schedule, const prove::Inputs& inputs,
                          const std::vector<std::vector<int64_t>>& sizes,
                          const std::string& target);

}  // namespace lathe::opencl_tests
