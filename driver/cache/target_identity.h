// Identifies the canonical form of a target and the plugin that defines it. Does not load a plugin
// whose answer is known already.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "driver/cache/store.h"
#include "target/target.h"

namespace lathe::driver {

// Returns the canonical target, the plugin's name and version, and the digest of the plugin's file.
// Equal texts mean equal code for equal IR. The text is remembered in `store` under the target as
// given, the file (path, size, times) and the processor. It is not remembered if the plugin
// provides devices: such a plugin may ask the devices when it makes a target canonical. Fails as
// target::CanonicalTarget does, and with `file-unreadable`.
absl::StatusOr<std::string> TargetIdentity(const target::Target& target, CacheStore& store);

}  // namespace lathe::driver
