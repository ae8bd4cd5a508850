#include "tools/plugin_test/expected.h"

#include <sstream>

#include "runtime/status.h"

namespace lathe::kit {
namespace {

bool Fits(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (size_t at = star; at <= name.size(); ++at)
    if (Fits(pattern.substr(star + 1), name.substr(at))) return true;
  return false;
}

}  // namespace

absl::StatusOr<std::vector<ExpectedFailure>> ParseExpected(const std::string& text) {
  std::vector<ExpectedFailure> all;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    ExpectedFailure one;
    if (!(words >> one.pattern)) continue;
    std::getline(words >> std::ws, one.reason);
    if (one.reason.empty()) {
      return runtime::MakeStatus(absl::StatusCode::kInvalidArgument, "expected-malformed",
                                 {"line ", std::to_string(number), ": `", one.pattern,
                                  "` is expected to fail, and no reason is given\nexpected: "
                                  "THEME/CHECK, blanks, a reason"});
    }
    all.push_back(std::move(one));
  }
  return all;
}

ExpectedFailure* FindExpected(std::vector<ExpectedFailure>& all, const std::string& name) {
  for (ExpectedFailure& one : all) {
    if (!Fits(one.pattern, name)) continue;
    one.used = true;
    return &one;
  }
  return nullptr;
}

}  // namespace lathe::kit
