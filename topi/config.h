// Configurations: values for the knobs that schedules ask for.
//
//   Config config({{"gemm.tile_rows", 6}});
//   const int64_t rows = config.Ask({"gemm.tile_rows", ChooseRows(...), 1, 32, "rows of a tile"});
//
// A schedule asks for each of its choices by a unique name. It passes its default value, which may
// depend on shapes and the machine, and the range of values that work. A configuration sets some of
// these knobs. Afterwards it knows all knobs that the schedule asked for: a tuner searches over
// them, and a record keeps them (Attrs). If two stages of one program ask for the same knob, it has
// one value for both.
//
// Not thread-safe: use each configuration for one schedule at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node.h"

namespace lathe::topi {

struct Knob {
  std::string_view name;  // "template.choice"
  int64_t otherwise = 0;  // the value if no configuration sets the knob
  int64_t low = 0, high = 0;
  std::string_view what;  // for people, with the unit
};

// A knob as a schedule first asked for it.
struct KnobValue {
  std::string name;
  int64_t value = 0, otherwise = 0, low = 0, high = 0;
  std::string what;
};

class Config {
 public:
  Config() = default;
  explicit Config(std::map<std::string, int64_t, std::less<>> set) : set_(std::move(set)) {}

  // The value that the configuration sets, else `otherwise`. The value that is set must lie in the
  // knob's range: Error "topi-knob-range". `otherwise` may lie outside of it, because ranges are
  // for those who choose a value without knowing the shape.
  int64_t Ask(const Knob& knob);
  // All knobs asked for so far, in the order of the first question, each once.
  const std::vector<KnobValue>& asked() const { return asked_; }
  // Throws Error "topi-unknown-knob" if a knob is set that no schedule asked for. The error lists
  // the knobs that were asked for.
  void RequireAllAsked() const;
  // {"gemm.tile_rows": 6, ...}: all knobs that were asked for, in the form of a program's attribute
  // "knobs".
  ir::Dict Attrs() const;

 private:
  std::map<std::string, int64_t, std::less<>> set_;
  std::vector<KnobValue> asked_;
};

}  // namespace lathe::topi
