// Device: which memory and which processor; and the names of device kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lathe/abi/value.h"

namespace lathe::runtime {

// Eight bytes of who and four of where, passed by value. `session` is 0 for this process; another
// number names a remote session, whose tensors are opaque handles here.
struct Device {
  int32_t kind = kDLCPU;
  int32_t id = 0;
  int32_t session = 0;

  static constexpr Device Cpu(int32_t id = 0) { return {kDLCPU, id, 0}; }
  // "cpu", "cuda:1", "opencl(0)". Throws Error: `device-unknown-kind`, `device-bad-name`.
  static Device Parse(std::string_view text);

  constexpr bool is_cpu() const { return kind == kDLCPU && session == 0; }
  // Whether the processor running this code may touch the memory at once: cpu and page-locked
  // memory.
  constexpr bool is_host() const {
    return session == 0 && (kind == kDLCPU || kind == kDLCUDAHost || kind == kDLROCMHost);
  }
  constexpr bool is_remote() const { return session != 0; }
  // The one form in values, tensors and streams: the session stands in the upper 16 bits of
  // device_type. Code that compares device_type with a kind so refuses what is remote. No plugin
  // ever sees a session but 0.
  constexpr DLDevice packed() const {
    return {static_cast<DLDeviceType>(kind |
                                      static_cast<int32_t>(static_cast<uint32_t>(session) << 16)),
            id};
  }
  static constexpr Device FromPacked(DLDevice dl) {
    const auto bits = static_cast<uint32_t>(dl.device_type);
    return {static_cast<int32_t>(bits & 0xffff), dl.device_id, static_cast<int32_t>(bits >> 16)};
  }
  // "cuda:1"; "session 2 cuda:1" where remote.
  std::string ToString() const;

  friend constexpr bool operator==(const Device&, const Device&) = default;
};

// Kinds of devices. The known ones are DLPack's; a plugin's own are registered when it is loaded.
// All thread-safe.

// "cuda"; "kind 77" for a code that nobody registered.
std::string DeviceKindName(int32_t kind);
// Accepts the name and its aliases ("opencl" and "cl", "cpu" and "llvm" are not the same thing: the
// latter is a target). Throws Error `device-unknown-kind` naming the nearest known ones.
int32_t DeviceKindFromName(std::string_view name);
// False where the name is not known; *kind is untouched then.
bool FindDeviceKind(std::string_view name, int32_t* kind);
// Names, sorted.
std::vector<std::string> DeviceKindNames();

// The code that a plugin's kind gets where its manifest states none: derived from the name alone,
// so that artefacts compiled in another process agree. In [4096, 32767].
int32_t DeriveDeviceKind(std::string_view name);
// Makes an extension kind known; `code` 0 means DeriveDeviceKind(name). The same pair again is
// fine. Fails with `device-kind-taken` where the name or the code already means something else,
// `device-kind-invalid` where the code is outside [kDLExtDev, 32767] or the name is not lower-case
// letters, digits, '_' and '-'.
absl::StatusOr<int32_t> RegisterDeviceKind(std::string_view name, int32_t code = 0);

}  // namespace lathe::runtime
