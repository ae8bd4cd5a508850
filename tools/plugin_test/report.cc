#include "tools/plugin_test/report.h"

#include "lathe/abi/plugin.h"
#include "runtime/json.h"

namespace lathe::kit {
namespace {

using runtime::Json;

struct Count {
  std::string theme;
  int passed = 0, failed = 0, expected = 0, not_applicable = 0;
};

std::vector<Count> CountThemes(const std::vector<Result>& results) {
  std::vector<Count> counts;
  for (const Result& result : results) {
    if (counts.empty() || counts.back().theme != result.theme) counts.push_back({result.theme});
    Count& count = counts.back();
    switch (result.verdict) {
      case Verdict::kPassed:
        ++count.passed;
        break;
      case Verdict::kFailed:
      case Verdict::kUnexpected:
        ++count.failed;
        break;
      case Verdict::kExpected:
        ++count.expected;
        break;
      case Verdict::kNotApplicable:
        ++count.not_applicable;
        break;
    }
  }
  return counts;
}

}  // namespace

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "ok";
    case Verdict::kFailed:
      return "FAILED";
    case Verdict::kExpected:
      return "expected failure";
    case Verdict::kUnexpected:
      return "PASSED, EXPECTED TO FAIL";
    case Verdict::kNotApplicable:
      return "does not apply";
  }
  return "";
}

std::string Card(const std::vector<Result>& results) {
  std::string card;
  for (const Count& count : CountThemes(results)) {
    const int all = count.passed + count.failed + count.expected;
    if (all == 0) continue;
    card += (card.empty() ? "" : ", ") + count.theme + " " + std::to_string(count.passed) + "/" +
            std::to_string(all);
    if (count.expected > 0)
      card += " (" + std::to_string(count.expected) + " expected failure" +
              (count.expected == 1 ? ")" : "s)");
  }
  return card;
}

std::string ReportJson(const Subject& subject, const std::vector<Result>& results) {
  Json json = Json::Object();
  json.Set("lathe", LATHE_VERSION);
  json.Set("plugin", subject.manifest.name);
  json.Set("version", subject.manifest.version);
  json.Set("card", Card(results));
  Json themes = Json::Object();
  for (const Count& count : CountThemes(results)) {
    Json theme = Json::Object();
    theme.Set("passed", count.passed);
    theme.Set("failed", count.failed);
    theme.Set("expected_failures", count.expected);
    theme.Set("not_applicable", count.not_applicable);
    themes.Set(count.theme, std::move(theme));
  }
  json.Set("themes", std::move(themes));
  Json checks = Json::Array();
  for (const Result& result : results) {
    Json check = Json::Object();
    check.Set("check", result.theme + "/" + result.name);
    check.Set("verdict", VerdictName(result.verdict));
    if (!result.text.empty()) check.Set("text", result.text);
    check.Set("milliseconds", result.milliseconds);
    checks.Append(std::move(check));
  }
  json.Set("checks", std::move(checks));
  return json.Dump(2);
}

}  // namespace lathe::kit
