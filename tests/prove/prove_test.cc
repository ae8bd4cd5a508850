#include "tests/prove/prove.h"

#include <iostream>

#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "tests/prove/illegal.h"

namespace lathe::prove {
namespace {

// Ten fixed seeds. The run is useful only if it really uses each primitive.
TEST(Prove, SchedulesDoNotChangeWhatIsComputed) {
  driver::UseDefaultPlugins();
  Report report;
  for (uint64_t seed : {11, 23, 37, 41, 59, 61, 73, 83, 97, 101}) {
    ProveOptions options;
    options.seed = seed;
    options.programs = 50;
    options.passes_percent = 10;
    options.compile_percent = 25;
    Prove(options, report, std::cout);
  }
  Print(report, std::cout);
  EXPECT_EQ(report.failures, 0);
  EXPECT_EQ(report.programs, 500);
  const auto percent = [&](int64_t count) { return 100 * count / report.programs; };
  for (const std::string& low : BelowFloor(report)) ADD_FAILURE() << "too few programs: " << low;
  EXPECT_GE(percent(report.uneven), 10);
  EXPECT_GE(percent(report.programs_with["symbolic"]), 10);
  EXPECT_GE(percent(report.programs_with["known arithmetic"]), 5);
  for (const std::string& kind : IllegalKinds()) {
    // Suits one program in several hundred.
    if (kind != "tensorize a tail") EXPECT_GE(report.illegal[kind], 1) << kind;
  }
}

}  // namespace
}  // namespace lathe::prove
