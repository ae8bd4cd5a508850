// A test device with opaque memory: its pointers are handles that fault when they are dereferenced.
// Memory and copies are thread-safe.
#pragma once

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/status.h"
#include "runtime/strided_copy.h"

namespace lathe::runtime {

class TestDevice : public DeviceAPI {
 public:
  // `strided` says whether Copy accepts layouts with gaps.
  TestDevice(int32_t kind, bool strided) : kind_(kind), strided_(strided) {}

  int32_t kind() const override { return kind_; }
  absl::StatusOr<int32_t> Count() override { return 2; }
  absl::StatusOr<Value> Attribute(int32_t id, std::string_view name) override {
    return name == "name" ? Value("test " + std::to_string(id)) : Value();
  }
  absl::StatusOr<void*> Alloc(int32_t, const AllocRequest& request) override {
    std::lock_guard lock(mutex_);
    if (request.bytes > limit_)
      return MakeStatus(absl::StatusCode::kResourceExhausted, "device-out-of-memory",
                        "the test device is full");
    // These addresses are below the first page that programs can map: an access faults at once.
    const auto handle = ++last_ * 16;
    blocks_[handle] = std::vector<char>(request.bytes);
    scopes_[handle] = std::string(request.scope);
    return reinterpret_cast<void*>(handle);
  }
  absl::Status Free(int32_t, std::string_view scope, void* data) override {
    std::lock_guard lock(mutex_);
    const auto handle = reinterpret_cast<uintptr_t>(data);
    if (scopes_[handle] != scope || blocks_.erase(handle) != 1) ++bad_frees_;
    return absl::OkStatus();
  }
  absl::StatusOr<MemoryInfo> GetMemoryInfo(int32_t, std::string_view) override {
    return MemoryInfo{limit_, limit_};
  }
  absl::Status Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) override {
    ++copies_;
    last_stream_ = stream;
    if (!strided_ && !(Compact(from) && Compact(to)))
      return MakeStatus(absl::StatusCode::kUnimplemented, "device-unsupported",
                        "compact blocks only");
    CopyStridedHost(Resolve(from), Resolve(to));
    return absl::OkStatus();
  }
  absl::Status Fill(int32_t, void*, uint64_t, uint64_t, uint64_t, int32_t, StreamHandle) override {
    return Unsupported("fill");
  }
  absl::Status SyncStream(int32_t, StreamHandle) override { return absl::OkStatus(); }
  absl::Status MakeCurrent(int32_t) override { return absl::OkStatus(); }

  size_t live() const { return blocks_.size(); }
  int bad_frees() const { return bad_frees_; }
  int copies() const { return copies_; }
  StreamHandle last_stream() const { return last_stream_; }
  void set_limit(uint64_t bytes) { limit_ = bytes; }

 private:
  static bool Compact(const DLTensor& tensor) {
    if (tensor.strides == nullptr) return true;
    int64_t expected = 1;
    for (int i = tensor.ndim - 1; i >= 0; --i) {
      if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
      expected *= tensor.shape[i];
    }
    return true;
  }
  DLTensor Resolve(const DLTensor& tensor) {
    DLTensor resolved = tensor;
    if (Device::FromPacked(tensor.device).kind != kind_) return resolved;
    std::lock_guard lock(mutex_);
    resolved.data = blocks_.at(reinterpret_cast<uintptr_t>(tensor.data)).data();
    return resolved;
  }

  int32_t kind_;
  bool strided_;
  uint64_t limit_ = 1 << 20;
  std::mutex mutex_;
  uintptr_t last_ = 0;
  std::map<uintptr_t, std::vector<char>> blocks_;
  std::map<uintptr_t, std::string> scopes_;
  int bad_frees_ = 0;
  std::atomic<int> copies_ = 0;
  std::atomic<StreamHandle> last_stream_ = nullptr;
};

}  // namespace lathe::runtime
