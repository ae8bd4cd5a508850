// The symbolic extents of a function's metadata ("n", "n + 2", "m // 4"), solved from its
// arguments.
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
  // Binds a name. A later value for the same name is ignored: the function itself checks that its
  // arguments agree.
  void Bind(const std::string& name, int64_t value);
  // Binds the names in `texts` that `shape` determines. An extent binds its name if the name is its
  // only unknown and the extent is linear in it. If the ranks differ, nothing is bound.
  void Solve(const std::vector<std::string>& texts, std::span<const int64_t> shape);
  // The value of an extent. Fails with `run-unknown-extent` if a name in it has no value, and with
  // `run-bad-extent` if it is not an integer expression or has no value >= 0.
  absl::StatusOr<int64_t> Evaluate(const std::string& text) const;

 private:
  std::map<std::string, int64_t> values_;
};

// Parses "2x3" or "2,3" ("" is rank 0). False if the text has another form.
bool ParseShape(std::string_view text, std::vector<int64_t>* shape);

}  // namespace lathe::cli
