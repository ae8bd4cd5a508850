// Symbolic extents of a function's metadata ("n", "n + 2", "m // 4"), solved from what is passed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::cli {

class Extents {
 public:
  // A later value of the same name is ignored: the function itself checks that its arguments agree.
  void Bind(const std::string& name, int64_t value);
  // What `shape` says about the names in `texts`: an extent of one unknown name, in which it is
  // linear, binds it. Shapes of another rank say nothing.
  void Solve(const std::vector<std::string>& texts, std::span<const int64_t> shape);
  // Fails with `run-unknown-extent` where a name in it has no value, `run-bad-extent` where it is
  // no expression of integers or has no value >= 0.
  absl::StatusOr<int64_t> Evaluate(const std::string& text) const;

 private:
  std::map<std::string, int64_t> values_;
};

// "2x3" or "2,3" ("" is rank 0). False where it is neither.
bool ParseShape(std::string_view text, std::vector<int64_t>* shape);

}  // namespace lathe::cli
