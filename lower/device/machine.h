// The facts about a device that lowering needs: a part of its target's machine description
// (target/machine.h), with the limits from the target's attributes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lathe::lower {

struct DeviceMachine {
  std::map<std::string, int64_t> axes;    // thread axes by tag -> largest extent; 0: not limited
  std::map<std::string, int64_t> memory;  // scopes -> bytes; 0: not limited
  // By name: max_threads_per_block, max_shared_memory_per_block, max_vector_bytes (S44); warp_size,
  // if the lanes of that many threads can exchange values.
  std::map<std::string, int64_t> limits;
};

}  // namespace lathe::lower
