// What tests of scheduling primitives check: the loops as text, equal results everywhere, and
// errors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arith/simplify_stmt.h"
#include "base/error.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "schedule/loop_nest.h"
#include "schedule/trace.h"
#include "tests/prove/check.h"

namespace lathe::schedule {

// Returns the simplified loop nest, for people.
inline std::string LoopsOf(const Schedule& s, const std::vector<NodeRef>& args) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(arith::Simplify(LowerSchedule(s, args, "f")), options);
}

// Expects the evaluator's results from the loops, after each pass, and from code compiled for this
// machine. Expects that the trace, written as text and read again, gives the same loops.
inline void ExpectSameAnswers(const Schedule& s, const std::vector<NodeRef>& args,
                              const std::vector<ir::Var>& vars = {},
                              std::vector<std::vector<int64_t>> sizes = {{}}) {
  driver::UseDefaultPlugins();
  const prove::CheckResult result = prove::CheckSchedule(
      s, args, vars, {.passes = true, .compile = true, .input_seed = 7, .sizes = std::move(sizes)});
  EXPECT_EQ(result.kind, prove::CheckResult::kOk) << result.where << ": " << result.detail;
}

// Returns the error that `action` throws; one named "none" if it throws none.
inline Error ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error(Diagnostic{.name = "none"});
}

}  // namespace lathe::schedule
