// Code from several compilations as one artefact. Internal to graph/build.
#pragma once

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"

namespace lathe::graph {

// The pass option `entries`: only entries without checks.
inline constexpr int kUncheckedEntries = 2;

// The functions of both; either may have no code. Fails as driver::MergeArtifacts does.
absl::StatusOr<driver::Compiled> MergeCompiled(driver::Compiled first, driver::Compiled second);

}  // namespace lathe::graph
