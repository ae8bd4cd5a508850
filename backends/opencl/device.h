// The device API over OpenCL: buffers and images, copies, command queues as streams, events with
// the device's clock.
#pragma once

#include "plugins/sdk/device.h"

namespace lathe::opencl_backend {

class OpenClDevice final : public sdk::DeviceAPI {
 public:
  bool CopiesStrided() const override { return true; }
  int32_t Count() override;
  sdk::Value Attribute(int32_t id, std::string_view key) override;

  void* Alloc(int32_t id, const lathe_alloc_request& request) override;
  void Free(int32_t id, std::string_view scope, void* data) override;
  sdk::MemoryInfo GetMemoryInfo(int32_t id, std::string_view scope) override;
  void Copy(const DLTensor& from, DLTensor& to, void* stream) override;
  void Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
            int32_t pattern_bytes, void* stream) override;

  void* NewStream(int32_t id, std::string_view kind) override;
  void FreeStream(int32_t id, void* stream) override;
  void SyncStream(int32_t id, void* stream) override;

  void* NewEvent(int32_t id) override;
  void FreeEvent(int32_t id, void* event) override;
  void RecordEvent(int32_t id, void* event, void* stream) override;
  void WaitEvent(int32_t id, void* event, void* stream) override;
  void SyncEvent(int32_t id, void* event) override;
  double ElapsedNanoseconds(int32_t id, void* start, void* end) override;

  void MakeCurrent(int32_t id) override;
  void Status(int32_t id) override;
};

// Waits for the queue; the message of an asynchronous error names the kernel that was launched
// last.
class ClDevice;
struct Queue;
void Finish(ClDevice& device, Queue& queue);

}  // namespace lathe::opencl_backend
