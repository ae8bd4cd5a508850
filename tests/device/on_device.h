// Programs on a real device against te's evaluator: the same tests for every kind of device. A test
// program links one definition of kTested.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::device_tests {

// What the tests of this program compile for, and run on: the first device of the target's kind.
struct TestedDevice {
  const char* target;
  bool may_be_missing;  // then the tests are skipped, and say so
  bool has_images;      // for memory of scope "texture"
};
extern const TestedDevice kTested;

// Finds the plugins, and registers the target's tensor intrinsics. Call it first.
void UsePlugins();

// Why the device cannot be used: no driver, no device. "" where it can.
std::string WhyMissing();

class OnDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() { UsePlugins(); }
  void SetUp() override;
};

// Builds the schedule and runs it on the device for every binding of `vars` in `sizes`. "", or what
// is wrong; what Lower and Build throw is thrown.
std::string CheckOnDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& vars = {},
                          const std::vector<std::vector<int64_t>>& sizes = {{}});
std::string CheckOnDevice(const schedule::Schedule& schedule, const prove::Inputs& inputs,
                          const std::vector<std::vector<int64_t>>& sizes);

}  // namespace lathe::device_tests
