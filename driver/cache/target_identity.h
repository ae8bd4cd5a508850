// What a target means to its plugin, and which plugin that is, without loading it where it said so
// before.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "driver/cache/store.h"
#include "target/target.h"

namespace lathe::driver {

// The canonical target, the plugin's name and version, and the digest of its file: equal texts mean
// equal code for equal IR. Remembered in `store` under the target as given, the file (place, size,
// times), and the processor. A plugin that provides devices may ask them when it makes a target
// canonical, so it is asked each time. Fails as target::CanonicalTarget does, and with
// `file-unreadable`.
absl::StatusOr<std::string> TargetIdentity(const target::Target& target, CacheStore& store);

}  // namespace lathe::driver
