// Runs programs on a real device and compares with te's evaluator: the same tests for every kind of
// device. A test program links one definition of kTested.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::device_tests {

// The target that the tests of this program compile for. They run on the first device of its kind.
struct TestedDevice {
  const char* target;
  bool may_be_missing;  // if so and it is missing, the tests are skipped, and say so
  bool has_images;      // supports memory of scope "texture"
};
extern const TestedDevice kTested;

// Finds the plugins, and registers the target's tensor intrinsics. Must be called first.
void UsePlugins();

// Why the device cannot be used (no driver, no device), or "" if it can.
std::string WhyMissing();

class OnDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() { UsePlugins(); }
  void SetUp() override;
};

// Builds the schedule and runs it on the device, once for each binding of `vars` in `sizes`.
// Returns "", or what is wrong. Lets errors of Lower and Build through.
std::string CheckOnDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& vars = {},
                          const std::vector<std::vector<int64_t>>& sizes = {{}});
// `checked`: as the checked build, which must compute the same and report nothing.
std::string CheckOnDevice(const schedule::Schedule& schedule, const prove::Inputs& inputs,
                          const std::vector<std::vector<int64_t>>& sizes, bool checked = false);

}  // namespace lathe::device_tests
