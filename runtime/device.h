// Device: a memory and its processor; and the names of device kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lathe/abi/value.h"

namespace lathe::runtime {

// A device: kind and id (8 bytes) and session (4 bytes), passed by value. `session` is 0 for this
// process; another number is a remote session, whose tensors are opaque handles here.
struct Device {
  int32_t kind = kDLCPU;
  int32_t id = 0;
  int32_t session = 0;

  static constexpr Device Cpu(int32_t id = 0) { return {kDLCPU, id, 0}; }
  // "cpu", "cuda:1", "opencl(0)". Throws Error: `device-unknown-kind`, `device-bad-name`.
  static Device Parse(std::string_view text);

  constexpr bool is_cpu() const { return kind == kDLCPU && session == 0; }
  // True if the processor that runs this code can access the memory directly: cpu and page-locked
  // memory.
  constexpr bool is_host() const {
    return session == 0 && (kind == kDLCPU || kind == kDLCUDAHost || kind == kDLROCMHost);
  }
  constexpr bool is_remote() const { return session != 0; }
  // The single form used in values, tensors and streams: the session is in the upper 16 bits of
  // device_type. So code that compares device_type with a kind refuses remote tensors. A plugin
  // sees session 0 only.
  constexpr DLDevice packed() const {
    return {static_cast<DLDeviceType>(kind |
                                      static_cast<int32_t>(static_cast<uint32_t>(session) << 16)),
            id};
  }
  static constexpr Device FromPacked(DLDevice dl) {
    const auto bits = static_cast<uint32_t>(dl.device_type);
    return {static_cast<int32_t>(bits & 0xffff), dl.device_id, static_cast<int32_t>(bits >> 16)};
  }
  // "cuda:1"; "session 2 cuda:1" for a remote device.
  std::string ToString() const;

  friend constexpr bool operator==(const Device&, const Device&) = default;
};

// Kinds of devices. The built-in ones are DLPack's; a plugin's kinds are registered when it is
// loaded. All functions are thread-safe.

// "cuda"; "kind 77" for a code that is not registered.
std::string DeviceKindName(int32_t kind);
// Accepts a kind's name and its aliases, such as "opencl" and "cl". ("cpu" and "llvm" are not
// aliases: "llvm" is a target.) Throws Error `device-unknown-kind`, which lists the nearest known
// names.
int32_t DeviceKindFromName(std::string_view name);
// False if the name is not known; then *kind is unchanged.
bool FindDeviceKind(std::string_view name, int32_t* kind);
// The names, sorted.
std::vector<std::string> DeviceKindNames();

// The code of a plugin's kind if its manifest states none. It depends on the name alone, so that
// artefacts compiled in another process agree. In [4096, 32767].
int32_t DeriveDeviceKind(std::string_view name);
// Registers an extension kind; `code` 0 means DeriveDeviceKind(name). Registering the same pair
// again is allowed. Fails with `device-kind-taken` if the name or the code has another meaning
// already, and with `device-kind-invalid` if the code is outside [kDLExtDev, 32767] or the name has
// other characters than lower-case letters, digits, '_' and '-'.
absl::StatusOr<int32_t> RegisterDeviceKind(std::string_view name, int32_t code = 0);

}  // namespace lathe::runtime
