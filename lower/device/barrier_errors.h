// The errors of InsertBarriers. Internal to lower/.
#pragma once

#include <string>
#include <vector>

#include "lower/device/thread_access.h"

namespace lathe::lower {

// Threads of a block must meet, and not all of them arrive. `cause`: the condition's or loop's
// statement. `buffer`: what they access; null if the program has the barrier.
[[noreturn]] void RefuseDivergentThreads(const ir::Node& cause, const ir::BufferNode* buffer);
// Blocks must meet, and not all of them arrive.
[[noreturn]] void RefuseDivergentBlocks(const ir::Node& cause, const ir::BufferNode& buffer);
// Blocks must meet between two accesses, and the device cannot do that. `blocks`: their axes.
[[noreturn]] void RefuseGridBarrier(const ThreadAccess& earlier, const ThreadAccess& later,
                                    const std::vector<std::string>& blocks);

}  // namespace lathe::lower
