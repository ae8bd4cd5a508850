// Failures that a vendor expects, each with a reason.
//
// They come from a text file with lines of the form `THEME/CHECK  reason`. `*` stands for any
// characters. `#` begins a comment.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::kit {

struct ExpectedFailure {
  std::string pattern, reason;
  bool used = false;
};

// Fails with `expected-malformed` if a line has no reason.
absl::StatusOr<std::vector<ExpectedFailure>> ParseExpected(const std::string& text);
// The first entry that matches `name`, now marked as used; null if none matches.
ExpectedFailure* FindExpected(std::vector<ExpectedFailure>& all, const std::string& name);

}  // namespace lathe::kit
