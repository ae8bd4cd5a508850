// For tests: a schedule's program through every pass.
#pragma once

#include <vector>

#include "base/error.h"
#include "gtest/gtest.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "tests/check/check_passes.h"

namespace lathe::lower {

// Interprets before and after every pass of both pipelines, on random inputs, with the size
// variables bound to `sizes`; a difference fails the test. Returns the module after the last pass.
inline ir::Module CheckPipeline(const schedule::Schedule& s, const std::vector<ir::NodeRef>& args,
                                const std::vector<int64_t>& sizes = {}) {
  ir::Module module = ir::MakeModule({schedule::LowerSchedule(s, args, "f")});
  try {
    module = CheckPasses(module, AllPasses(), sizes, 7);
  } catch (const Error& e) {
    ADD_FAILURE() << e.what();
  }
  return module;
}

}  // namespace lathe::lower
