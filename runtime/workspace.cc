#include "runtime/workspace.h"

#include <string>
#include <utility>
#include <vector>

#include "runtime/device_api.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr uint64_t kGranule = 4096;

struct Block {
  void* data;
  uint64_t bytes;
};

// Scratch memory of one device and scope: the first `used` blocks are out, the rest wait for reuse.
struct Stack {
  Device device;
  std::string scope;
  DeviceAPI* api;
  std::vector<Block> blocks;
  size_t used = 0;

  absl::Status FreeFrom(size_t first) {
    absl::Status result;
    while (blocks.size() > first) {
      absl::Status status = api->Free(device.id, scope, blocks.back().data);
      blocks.pop_back();
      if (result.ok()) result = std::move(status);
    }
    return result;
  }
};

struct Stacks {
  std::vector<Stack> stacks;
  ~Stacks() {
    // A device that refuses is lost, which its next call says.
    for (Stack& stack : stacks) stack.FreeFrom(0).IgnoreError();
  }
};
thread_local Stacks mine;

absl::StatusOr<Stack*> Find(const Device& device, std::string_view scope) {
  if (scope.empty()) scope = "global";
  for (Stack& stack : mine.stacks)
    if (stack.device == device && stack.scope == scope) return &stack;
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, GetDeviceAPI(device));
  mine.stacks.push_back({device, std::string(scope), api, {}, 0});
  return &mine.stacks.back();
}

}  // namespace

absl::StatusOr<void*> WorkspaceAlloc(const Device& device, uint64_t bytes, std::string_view scope) {
  LATHE_ASSIGN_OR_RETURN(Stack * stack, Find(device, scope));
  if (bytes > static_cast<uint64_t>(INT64_MAX))
    return MakeStatus(absl::StatusCode::kResourceExhausted, "device-out-of-memory",
                      {"a scratch buffer of ", std::to_string(bytes), " bytes"});
  for (size_t i = stack->used; i < stack->blocks.size(); ++i) {
    if (stack->blocks[i].bytes < bytes) continue;
    std::swap(stack->blocks[i], stack->blocks[stack->used]);
    return stack->blocks[stack->used++].data;
  }
  // None fits. One that is too small makes room, so that growing requests do not pile up.
  if (stack->blocks.size() > stack->used)
    LATHE_RETURN_IF_ERROR(stack->FreeFrom(stack->blocks.size() - 1));
  const uint64_t rounded = bytes == 0 ? kGranule : (bytes + kGranule - 1) / kGranule * kGranule;
  LATHE_ASSIGN_OR_RETURN(
      void* const data,
      stack->api->Alloc(device.id, {.scope = stack->scope, .bytes = rounded, .alignment = 64}));
  stack->blocks.push_back({data, rounded});
  std::swap(stack->blocks.back(), stack->blocks[stack->used]);
  ++stack->used;
  return data;
}

absl::Status WorkspaceFree(const Device& device, void* data) {
  for (Stack& stack : mine.stacks) {
    if (stack.device != device) continue;
    for (size_t i = stack.used; i-- > 0;) {
      if (stack.blocks[i].data != data) continue;
      stack.used = i;
      return absl::OkStatus();
    }
  }
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "workspace-order",
                    {"scratch memory of ", device.ToString(),
                     " is given back that this thread does not hold\nexpected: an allocation of "
                     "this thread that is still in use"});
}

absl::Status WorkspaceTrim() {
  absl::Status result;
  for (Stack& stack : mine.stacks) {
    absl::Status status = stack.FreeFrom(stack.used);
    if (result.ok()) result = std::move(status);
  }
  return result;
}

}  // namespace lathe::runtime
