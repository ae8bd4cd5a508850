// Where the tensors of a plan are, for people and tools.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/graph/executor.h"

namespace lathe::runtime::graph {

// The memory of one tensor; a view has that of the tensor that it is of.
struct TensorPlace {
  enum class Memory : uint8_t { kInput, kConstant, kOutput, kArena };
  Memory memory = Memory::kArena;
  int32_t index = 0;  // of the input, constant or output
  int32_t root = 0;   // the tensor that it is a view of, or itself
  std::vector<int64_t> shape;
  uint64_t offset = 0, bytes = 0;  // in the arena of the host
  int32_t first = -1, last = -1;   // the steps that need the memory
};

struct Places {
  std::vector<TensorPlace> tensors;  // of the plan, in their order
  uint64_t arena_bytes = 0;
  uint64_t arena_lower_bound = 0;  // the most bytes that are in use at the same time
};

// Plans the executable for inputs of these shapes and one thread. Tensors whose shapes only a run
// knows have no place. Fails as Context::Run does before it runs. Thread-safe.
absl::StatusOr<Places> PlacesOf(const Executable& executable,
                                std::span<const std::vector<int64_t>> shapes);

}  // namespace lathe::runtime::graph
