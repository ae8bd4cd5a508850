#include "runtime/workspace.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "lathe/abi/names.h"
#include "runtime/device_api.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr uint64_t kGranule = 4096;

struct Block {
  void* data;
  uint64_t bytes;
};

// Scratch memory of one device and scope: the first `used` blocks are in use, the others can be
// reused.
struct Stack {
  Device device;
  std::string scope;
  DeviceAPI* api;
  uint64_t* held;  // bytes of all blocks of the thread
  std::vector<Block> blocks;
  size_t used = 0;

  absl::Status FreeFrom(size_t first) {
    absl::Status result;
    while (blocks.size() > first) {
      absl::Status status = api->Free(device.id, scope, blocks.back().data);
      *held -= blocks.back().bytes;
      blocks.pop_back();
      if (result.ok()) result = std::move(status);
    }
    return result;
  }
};

struct Stacks {
  uint64_t held = 0;
  std::vector<Stack> stacks;
  ~Stacks() {
    // A device that fails here is lost; its next call reports that.
    for (Stack& stack : stacks) stack.FreeFrom(0).IgnoreError();
  }
};
thread_local Stacks mine;

absl::StatusOr<Stack*> Find(const Device& device, std::string_view scope) {
  if (scope.empty()) scope = LATHE_SCOPE_GLOBAL;
  for (Stack& stack : mine.stacks)
    if (stack.device == device && stack.scope == scope) return &stack;
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, GetDeviceAPI(device));
  mine.stacks.push_back({device, std::string(scope), api, &mine.held, {}, 0});
  return &mine.stacks.back();
}

constexpr const char* kLimitVariable = "LATHE_WORKSPACE_BYTES";
std::atomic<uint64_t> set_limit{0};  // 0: none was set

uint64_t LimitFromEnvironment() {
  const char* text = secure_getenv(kLimitVariable);
  if (text == nullptr || text[0] == '\0') {
    absl::StatusOr<DeviceAPI*> cpu = GetDeviceAPI(Device{kDLCPU, 0});
    const absl::StatusOr<MemoryInfo> memory =
        cpu.ok() ? (*cpu)->GetMemoryInfo(0, LATHE_SCOPE_GLOBAL) : cpu.status();
    return memory.ok() && memory->total != 0 ? memory->total : INT64_MAX;
  }
  uint64_t bytes = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, bytes);
  if (error == std::errc() && at == end && bytes != 0) return bytes;
  throw Error({.name = "workspace-invalid-limit",
               .message = "this limit of the workspace cannot be used",
               .expected = "a number of bytes, 1 or more",
               .found = std::string(kLimitVariable) + "=" + text,
               .help = std::string("unset ") + kLimitVariable + " to allow the machine's memory",
               .notes = {},
               .where = {}});
}

// Makes room for `bytes` more: frees unused blocks if necessary.
absl::Status MakeRoom(const Device& device, uint64_t bytes) {
  const uint64_t limit = WorkspaceLimit();
  const auto fits = [&] { return bytes <= limit && mine.held <= limit - bytes; };
  if (fits()) return absl::OkStatus();
  LATHE_RETURN_IF_ERROR(WorkspaceTrim());
  if (fits()) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kResourceExhausted, "workspace-limit",
      {"a kernel asks for more scratch memory on ", device.ToString(),
       " than one thread may hold\nexpected: at most ", std::to_string(limit),
       " bytes\nfound: ", std::to_string(bytes), " bytes more than ", std::to_string(mine.held),
       " in use\nhelp: `lathe inspect` shows what each kernel takes; set ", kLimitVariable,
       " to allow more, or compute what is between in smaller pieces (compute_at)"});
}

}  // namespace

void SetWorkspaceLimit(uint64_t bytes) { set_limit.store(bytes, std::memory_order_relaxed); }

uint64_t WorkspaceLimit() {
  if (const uint64_t set = set_limit.load(std::memory_order_relaxed)) return set;
  return LimitFromEnvironment();
}

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
  // No block fits. One that is too small is freed, so that growing requests do not accumulate
  // blocks.
  if (stack->blocks.size() > stack->used)
    LATHE_RETURN_IF_ERROR(stack->FreeFrom(stack->blocks.size() - 1));
  const uint64_t rounded = bytes == 0 ? kGranule : (bytes + kGranule - 1) / kGranule * kGranule;
  LATHE_RETURN_IF_ERROR(MakeRoom(device, rounded));
  LATHE_ASSIGN_OR_RETURN(
      void* const data,
      stack->api->Alloc(device.id, {.scope = stack->scope, .bytes = rounded, .alignment = 64}));
  mine.held += rounded;
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
