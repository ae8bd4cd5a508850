// What came out of the checks: the card, and the same as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/plugin_test/check.h"

namespace lathe::kit {

enum class Verdict {
  kPassed,
  kFailed,
  kExpected,    // failed, and was expected to
  kUnexpected,  // passed, and was expected to fail: the list is to be mended
  kNotApplicable,
};
const char* VerdictName(Verdict verdict);

struct Result {
  std::string theme, name;
  Verdict verdict = Verdict::kPassed;
  std::string text;  // why it failed, or does not apply; the reason of an expected failure
  double milliseconds = 0;
};

// "hygiene 5/5, device 40/41 (1 expected failure), ...": themes in the order of the results,
// without what does not apply.
std::string Card(const std::vector<Result>& results);
std::string ReportJson(const Subject& subject, const std::vector<Result>& results);

}  // namespace lathe::kit
