#include "tests/prove/prove.h"

#include <iostream>

#include "base/address_sanitizer.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "tests/prove/illegal.h"

namespace lathe::prove {
namespace {

// Fixed seeds. The run is useful only if it really uses each primitive. Under the address
// sanitizer, which makes it five times as slow, a fifth of the programs run, and nothing is
// counted.
TEST(Prove, SchedulesDoNotChangeWhatIsComputed) {
  driver::UseDefaultPlugins();
  Report report;
  const int64_t programs = kAddressSanitizer ? 8 : 40;
  for (uint64_t seed : {11, 23, 37, 41, 59, 61, 73, 83, 97, 101}) {
    ProveOptions options;
    options.seed = seed;
    options.programs = programs;
    options.passes_percent = 10;
    options.compile_percent = 25;
    Prove(options, report, std::cout);
  }
  Print(report, std::cout);
  EXPECT_EQ(report.failures, 0);
  EXPECT_EQ(report.programs, 10 * programs);
  if (kAddressSanitizer) return;
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
