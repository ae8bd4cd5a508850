// The target of code for the processor that this process runs on.
#pragma once

#include "target/target.h"

namespace lathe::target {

// Of the kind whose manifest entry says `"host": true`: its code runs on the CPU, launches kernels
// of other targets, and without attributes is this machine's. Of several kinds the first by name.
// Loads no plugin. Throws Error `target-no-host` where no plugin provides one.
Target HostTarget();

}  // namespace lathe::target
