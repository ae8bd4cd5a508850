// Configurations: values of the knobs that schedules ask for.
//
//   Config config({{"gemm.tile_rows", 6}});
//   const int64_t rows = config.Ask({"gemm.tile_rows", ChooseRows(...), 1, 32, "rows of a tile"});
//
// A schedule asks for each choice that it makes under a name of its own, with the value that it
// takes by itself (which may depend on shapes and machine) and the range that works. A
// configuration sets some of them. Afterwards it has all that were asked for: what a tuner searches
// over and what a record keeps (Attrs). A knob that two stages of one program ask for is set for
// both.
//
// Not thread-safe: one schedule is made with one at a time.
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
  int64_t otherwise = 0;  // where no configuration sets it
  int64_t low = 0, high = 0;
  std::string_view what;  // for people, with its unit
};

// A knob as a schedule asked for it the first time.
struct KnobValue {
  std::string name;
  int64_t value = 0, otherwise = 0, low = 0, high = 0;
  std::string what;
};

class Config {
 public:
  Config() = default;
  explicit Config(std::map<std::string, int64_t, std::less<>> set) : set_(std::move(set)) {}

  // What the configuration sets, else `otherwise`, which may lie beyond the range: ranges are for
  // those who choose without knowing the shape. Throws Error "topi-knob-range".
  int64_t Ask(const Knob& knob);
  // All that were asked for so far, in order, each once.
  const std::vector<KnobValue>& asked() const { return asked_; }
  // Throws Error "topi-unknown-knob" where something is set that nobody asked for; it lists those
  // that were.
  void RequireAllAsked() const;
  // {"gemm.tile_rows": 6, ...}: all that were asked for, as a program's attribute "knobs" has them.
  ir::Dict Attrs() const;

 private:
  std::map<std::string, int64_t, std::less<>> set_;
  std::vector<KnobValue> asked_;
};

}  // namespace lathe::topi
