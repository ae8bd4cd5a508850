// The results of the checks: the card, and the same as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/plugin_test/check.h"

namespace lathe::kit {

enum class Verdict {
  kPassed,
  kFailed,
  kExpected,    // failed, as expected
  kUnexpected,  // passed, although a failure was expected: the list must be corrected
  kNotApplicable,
};
const char* VerdictName(Verdict verdict);

struct Result {
  std::string theme, name;
  Verdict verdict = Verdict::kPassed;
  std::string text;  // why it failed or does not apply, or the reason of an expected failure
  double milliseconds = 0;
};

// A line such as "hygiene 5/5, device 40/41 (1 expected failure), ...". Themes are in the order of
// the results. Checks that do not apply are left out.
std::string Card(const std::vector<Result>& results);
std::string ReportJson(const Subject& subject, const std::vector<Result>& results);

}  // namespace lathe::kit
