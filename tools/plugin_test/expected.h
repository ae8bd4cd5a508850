// Failures that a vendor expects, each with a reason.
//
// A text file: one line each, `THEME/CHECK  reason`; `*` stands for any characters; `#` begins a
// comment.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::kit {

struct ExpectedFailure {
  std::string pattern, reason;
  bool used = false;
};

// Fails with `expected-malformed`: a line without a reason.
absl::StatusOr<std::vector<ExpectedFailure>> ParseExpected(const std::string& text);
// The first that fits, marked as used; NULL where none does.
ExpectedFailure* FindExpected(std::vector<ExpectedFailure>& all, const std::string& name);

}  // namespace lathe::kit
