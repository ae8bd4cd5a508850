// A whole vendor in one file: a device whose memory the host cannot touch, a byte code that runs
// on it, and a code generator from loops over float32 and int32 tensors to that byte code.
#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "ir/binary.h"
#include "ir/walk.h"
#include "plugins/sdk/sdk.h"

namespace {
using namespace lathe;
using Kind = ir::NodeKind;

// Allocations by address. Memory is mapped PROT_NONE; only while one of our own calls works on it
// can this process read or write it.
struct Memory {
  struct Block {
    size_t bytes = 0;
    int users = 0;
  };
  std::mutex mutex;
  std::map<void*, Block> blocks;
  void Use(void* data, int change) {
    std::lock_guard lock(mutex);
    auto found = blocks.find(data);
    if (found == blocks.end()) throw sdk::Error(LATHE_INVALID_ARGUMENT, "example-bad-handle", "not our memory");
    const int users = found->second.users += change;
    if (users == (change > 0 ? 1 : 0)) mprotect(data, found->second.bytes, users > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
};
Memory& memory = *new Memory;

// Opens a tensor's memory for the time of a call.
class Window {
 public:
  explicit Window(const DLTensor& tensor) : base_(sdk::OnHost(tensor) ? nullptr : tensor.data) {
    if (!sdk::IsCompact(tensor)) throw sdk::Error(LATHE_UNIMPLEMENTED, "example-strided", "tensors must be compact");
    if (base_ != nullptr) memory.Use(base_, 1);
    data = sdk::DataOf(tensor);
  }
  Window(Window&& other) : data(other.data), base_(std::exchange(other.base_, nullptr)) {}
  ~Window() {
    if (base_ != nullptr) memory.Use(base_, -1);
  }
  char* data;

 private:
  void* base_;
};
