#include "schedule/primitives/pragma.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/trace.h"

namespace lathe::schedule {
namespace {

struct KnownPragma {
  const char* key;
  bool nest;
  int64_t most;  // the greatest value that means something
};
constexpr int64_t kMany = 1 << 16;
constexpr KnownPragma kPragmas[] = {
    {"auto_unroll_max_step", true, kMany},   {"auto_unroll_max_depth", true, kMany},
    {"auto_unroll_max_extent", true, kMany}, {"unroll_explicit", true, 1},
    {"loop_partition_hint", false, 1},       {"nontemporal", true, 1},
};

}  // namespace

std::vector<std::string> PragmaKeys() {
  std::vector<std::string> keys;
  for (const KnownPragma& pragma : kPragmas) keys.emplace_back(pragma.key);
  return keys;
}

bool IsNestPragma(std::string_view key) {
  return std::any_of(std::begin(kPragmas), std::end(kPragmas),
                     [&](const KnownPragma& pragma) { return pragma.nest && pragma.key == key; });
}

void Pragma(Stage& stage, const IterVar& axis, const std::string& key, int64_t value) {
  stage.RequireLeaf(axis, "pragma");
  const auto* known = std::find_if(std::begin(kPragmas), std::end(kPragmas),
                                   [&](const KnownPragma& pragma) { return pragma.key == key; });
  if (known == std::end(kPragmas)) {
    const std::vector<std::string> near = NearestNames(key, PragmaKeys());
    throw Error(Diagnostic{.name = "unknown-pragma",
                           .message = "pragma: there is no `" + key + "`",
                           .expected = "one of " + QuotedList(near.empty() ? PragmaKeys() : near),
                           .found = "`" + key + "`",
                           .help = "use a pragma that a pass knows; others would have no effect"});
  }
  if (value < 0 || value > known->most) {
    throw Error(Diagnostic{.name = "pragma-value",
                           .message = "pragma `" + key + "` of loop `" + axis->var->name +
                                      "` of stage `" + stage.name + "`",
                           .expected = "0 to " + std::to_string(known->most),
                           .found = std::to_string(value),
                           .help = "0 switches it off"});
  }
  stage.AttrOf(axis).annotations[key] = ir::Int(value);
  Record(*stage.schedule, "pragma", {},
         {{"axis", AxisOperand(stage, axis)}, {"key", ir::String(key)}, {"value", ir::Int(value)}});
}

}  // namespace lathe::schedule
