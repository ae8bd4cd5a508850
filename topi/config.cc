#include "topi/config.h"

#include <algorithm>

#include "base/error.h"
#include "ir/expr.h"

namespace lathe::topi {

int64_t Config::Ask(const Knob& knob) {
  const auto found = set_.find(knob.name);
  const int64_t value = found == set_.end() ? knob.otherwise : found->second;
  if (found != set_.end() && (value < knob.low || value > knob.high)) {
    throw Error(
        Diagnostic{.name = "topi-knob-range",
                   .message = "knob `" + std::string(knob.name) + "` (" + std::string(knob.what) +
                              ") has a value that its schedule cannot take",
                   .expected = std::to_string(knob.low) + " to " + std::to_string(knob.high),
                   .found = std::to_string(value),
                   .help = "leave it out for " + std::to_string(knob.otherwise)});
  }
  const bool known = std::any_of(asked_.begin(), asked_.end(),
                                 [&](const KnobValue& other) { return other.name == knob.name; });
  if (!known) {
    asked_.push_back({std::string(knob.name), value, knob.otherwise, knob.low, knob.high,
                      std::string(knob.what)});
  }
  return value;
}

void Config::RequireAllAsked() const {
  for (const auto& [name, value] : set_) {
    std::string all;
    bool known = false;
    for (const KnobValue& knob : asked_) {
      known = known || knob.name == name;
      all += (all.empty() ? "`" : ", `") + knob.name + "`";
    }
    if (known) continue;
    throw Error(Diagnostic{.name = "topi-unknown-knob",
                           .message = "no schedule of this program asks for knob `" + name + "`",
                           .expected = all.empty() ? "none: its schedule has no knobs" : all,
                           .found = "`" + name + "`",
                           .help = "leave it out, or check that its template fits the program"});
  }
}

ir::Dict Config::Attrs() const {
  ir::Dict attrs;
  for (const KnobValue& knob : asked_) attrs.emplace(knob.name, ir::Int(knob.value));
  return attrs;
}

}  // namespace lathe::topi
