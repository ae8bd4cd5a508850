// DeviceAPI: the base class of device implementations.
#pragma once

#include <cstdint>
#include <string_view>

#include "lathe/abi/device.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

struct MemoryInfo {
  uint64_t free = 0;
  uint64_t total = 0;
};

// One per kind, for the life of the process. Called from any thread, several at once. The contract
// of each method is that of the function with the same name in abi/device.h. A method that a device
// does not support need not be overridden: the default throws `device-unsupported`
// (LATHE_UNIMPLEMENTED), and the host works without it.
class DeviceAPI {
 public:
  virtual ~DeviceAPI() = default;

  // Bits LATHE_DEVICE_...
  virtual uint64_t flags() const { return 0; }

  // True if Copy accepts strided tensors. Otherwise it gets compact tensors only: the host repacks
  // the others.
  virtual bool CopiesStrided() const { return false; }

  virtual int32_t Count() { return 1; }
  // The default has no attributes.
  virtual Value Attribute(int32_t id, std::string_view key);

  virtual void* Alloc(int32_t id, const lathe_alloc_request& request) = 0;
  virtual void Free(int32_t id, std::string_view scope, void* data) = 0;
  virtual MemoryInfo GetMemoryInfo(int32_t id, std::string_view scope);
  virtual void Copy(const DLTensor& from, DLTensor& to, void* stream) = 0;
  virtual void Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
                    int32_t pattern_bytes, void* stream);

  virtual void* NewStream(int32_t id, std::string_view kind);
  virtual void FreeStream(int32_t id, void* stream);
  // The default does nothing, which is right if all work is complete on return.
  virtual void SyncStream(int32_t id, void* stream);

  virtual void* NewEvent(int32_t id);
  virtual void FreeEvent(int32_t id, void* event);
  virtual void RecordEvent(int32_t id, void* event, void* stream);
  virtual void WaitEvent(int32_t id, void* event, void* stream);
  virtual void SyncEvent(int32_t id, void* event);
  virtual double ElapsedNanoseconds(int32_t id, void* start, void* end);

  virtual void* WrapHost(int32_t id, void* host, uint64_t bytes);
  virtual void UnwrapHost(int32_t id, void* data);
  virtual void* ExportHost(int32_t id, void* data, uint64_t bytes);

  // The defaults: there is no current device (but an unknown id is refused); a device is never
  // lost.
  virtual void MakeCurrent(int32_t id);
  virtual void Status(int32_t id);
};

// The DLPack number of a device kind whose manifest states none (`"dlpack": 0`): the same in every
// process and in every release.
int32_t DeviceTypeOf(std::string_view kind);

namespace internal {

// The C table that calls `device`, which must outlive it.
lathe_device_api DeviceTable(DeviceAPI* device);

}  // namespace internal
}  // namespace lathe::sdk
