// What `lathe bisect` says of programs and of graphs.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "driver/bisect/bisect.h"

namespace lathe::cli {

// "same answer", "ANOTHER ANSWER", ...
const char* StateName(driver::BisectStage::State state);
// The stages, and what the last one changed.
void Print(const driver::BisectReport& report);
// The error `bisect-found`.
absl::Status Culprit(const std::string& name);

}  // namespace lathe::cli
