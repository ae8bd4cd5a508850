// Single integers in the memory of devices: how kernels of the checked build report to the host.
//
// Two global functions, which compiled host code calls by `call_packed`. `words` is a compact
// tensor of rank 1 and type int32 or int64, on any device:
//
//   lathe.device_load(words, index) -> integer   waits for the thread's current stream
//   lathe.device_store(words, index, value)      in order on that stream, complete on return
//
// They fail with `device-word` (another tensor, an index outside of it) and with the statuses of
// the device's copies.
#pragma once

#include "absl/status/status.h"

namespace lathe::runtime {

inline constexpr char kDeviceLoad[] = "lathe.device_load";
inline constexpr char kDeviceStore[] = "lathe.device_store";

absl::Status RegisterDeviceWords();

}  // namespace lathe::runtime
