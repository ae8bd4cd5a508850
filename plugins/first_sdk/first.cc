// A device and a module, built once with the first SDK (0.1.0) and kept as bytes:
// libfirst.x86_64.so. Hosts of all releases of this major version must serve it. This source is a
// record; it is not compiled again.
#include <cstdlib>
#include <cstring>

#include "plugins/sdk/bytes.h"
#include "plugins/sdk/sdk.h"

using namespace lathe::sdk;  // NOLINT: a small program

// Memory of the host's, as a device's.
struct FirstDevice final : DeviceAPI {
  void* Alloc(int32_t id, const lathe_alloc_request& request) override {
    if (id != 0) throw Error(LATHE_NOT_FOUND, "device-no-such-id", "there is one device");
    if (request.scope != std::string_view("global"))
      throw Error(LATHE_INVALID_ARGUMENT, "device-no-such-scope", "there is global memory alone");
    const uint64_t alignment = request.alignment < 64 ? 64 : request.alignment;
    if (request.bytes > (uint64_t{1} << 40))
      throw Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "the device is full");
    void* data =
        std::aligned_alloc(alignment, (request.bytes + alignment - 1) / alignment * alignment);
    if (data == nullptr)
      throw Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "the device is full");
    return data;
  }
  void Free(int32_t, std::string_view, void* data) override { std::free(data); }
  void Copy(const DLTensor& from, DLTensor& to, void*) override {
    if (NumBytes(from) != 0) std::memmove(DataOf(to), DataOf(from), NumBytes(from));
  }
};

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  plugin.Device("first", std::make_unique<FirstDevice>());
  plugin.Module("first", WordModuleLoader("FST1", [](const Words& words, const Args& args) {
                  args.Expect(1);
                  return Value(args.Int(0) + static_cast<int64_t>(words.size()));
                }));
}
