#include "tests/prove/prove.h"

#include <iostream>

#include "driver/default_plugins.h"
#include "gtest/gtest.h"

namespace lathe::prove {
namespace {

TEST(Prove, SchedulesDoNotChangeWhatIsComputed) {
  driver::UseDefaultPlugins();
  Report report;
  for (uint64_t seed : {11, 23, 37, 41, 59, 61, 73, 83, 97, 101}) {
    ProveOptions options;
    options.seed = seed;
    options.programs = 20;
    options.passes_percent = 20;
    options.compile_percent = 40;
    Prove(options, report, std::cout);
  }
  Print(report, std::cout);
  EXPECT_EQ(report.failures, 0);
  EXPECT_EQ(report.programs, 200);
  // The run is worth something only while each primitive is really used.
  for (const char* primitive :
       {"split", "fuse", "reorder", "vectorize", "unroll", "parallel", "compute_at",
        "compute_inline", "compute_root", "cache_read", "cache_write"}) {
    EXPECT_GE(report.programs_with[primitive], 4) << primitive;
  }
  EXPECT_GE(report.with_guards, 40);
}

}  // namespace
}  // namespace lathe::prove
