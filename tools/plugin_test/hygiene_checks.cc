// Properties of the binary and the manifest that need no loading.
#include "plugins/conformance/hygiene.h"
#include "tools/plugin_test/check.h"

namespace lathe::kit {
namespace {

// The messages of CheckHygiene that begin with one of `beginnings`.
absl::Status Problems(const Subject& subject, const std::vector<std::string_view>& beginnings) {
  const auto problems = plugins::CheckHygiene(subject.path);
  if (!problems.ok()) return problems.status();
  std::string text;
  for (const std::string& problem : *problems) {
    for (std::string_view beginning : beginnings)
      if (problem.starts_with(beginning)) text += (text.empty() ? "" : "\n") + problem;
  }
  return Require(text.empty(), text);
}

absl::Status OneExport(const Subject& subject) {
  return Problems(subject, {"it exports", "it does not export", "it has no dynamic"});
}
absl::Status NoSharedSymbols(const Subject& subject) { return Problems(subject, {"symbol "}); }
absl::Status SystemLibrariesOnly(const Subject& subject) { return Problems(subject, {"it needs"}); }
absl::Status NothingLeftOpen(const Subject& subject) { return Problems(subject, {"it leaves"}); }
// The kit read the manifest before the checks began. This check puts it on the card.
absl::Status Manifest(const Subject& subject) {
  return Require(!subject.manifest.name.empty(), "the manifest has no name");
}

}  // namespace

void AddHygieneChecks(const Subject&, Checks* checks) {
  checks->push_back({"hygiene", "one-export", OneExport});
  checks->push_back({"hygiene", "no-shared-symbols", NoSharedSymbols});
  checks->push_back({"hygiene", "system-libraries-only", SystemLibrariesOnly});
  checks->push_back({"hygiene", "nothing-left-open", NothingLeftOpen});
  checks->push_back({"hygiene", "manifest", Manifest});
}

}  // namespace lathe::kit
