// Asks a tracker for devices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/rpc/connect.h"

namespace lathe::runtime::rpc {

struct TrackerAddress {
  std::string host = "127.0.0.1";
  int port = 9190;
  std::optional<Secret> secret;
  double timeout = 10;  // seconds to reach it
};

struct DeviceRequest {
  std::string key;             // the kind of device
  int64_t priority = 1;        // the higher, the earlier
  double session_timeout = 0;  // seconds; 0: no limit
  // Told the place in the queue, each time that it changes; 1 is the next.
  std::function<void(uint64_t place)> queued;
};

// Waits for a device, and opens a session with its server; can be interrupted (base/poll.h). If the
// server does not know of the lease, it asks for another one, twice at most. A device that was lent
// and cannot be reached is an error; ask again for another one. Fails as Connect does, and with
// `rpc-key`.
absl::StatusOr<Ref<RemoteSession>> RequestDevice(const TrackerAddress& tracker,
                                                 const DeviceRequest& request);
// How a tracker, a server or a proxy is: JSON, Tracker::Summary, Supervisor::Summary or
// Proxy::Summary. Needs no session and no lease, and disturbs none. `wanted` refuses the others.
absl::StatusOr<std::string> SummaryOf(const TrackerAddress& address,
                                      std::optional<ProgramRole> wanted = std::nullopt);

}  // namespace lathe::runtime::rpc
