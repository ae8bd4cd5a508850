// Whom a server, a tracker or a proxy keeps of those who connect: strangers do not keep out those
// who have the secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {

inline constexpr size_t kMostConnections = 1024;
// Connections in their handshake. One more takes the place of the oldest.
inline constexpr size_t kMostStrangers = 512;

struct Crowd {
  size_t connections = 0;  // that have not ended
  size_t strangers = 0;    // of those
  uint64_t oldest = 0;     // stranger

  // Whom to refuse, and why, when `newcomer` has come; it is counted already. `program`: "server".
  std::optional<std::pair<uint64_t, absl::Status>> Refused(std::string_view program,
                                                           uint64_t newcomer, bool stopped) const {
    const auto refused = [](uint64_t id, absl::StatusCode code, std::string_view text) {
      return std::pair(id, MakeStatus(code, "rpc-refused", text));
    };
    const std::string the = "the " + std::string(program);
    if (stopped) return refused(newcomer, absl::StatusCode::kUnavailable, the + " is ending");
    if (connections > kMostConnections)
      return refused(
          newcomer, absl::StatusCode::kResourceExhausted,
          the + " has " + std::to_string(kMostConnections) + " connections, and takes no more");
    if (strangers > kMostStrangers)
      return refused(oldest, absl::StatusCode::kResourceExhausted,
                     the + " has " + std::to_string(kMostStrangers) +
                         " connections that ask for nothing, and this is the oldest");
    return std::nullopt;
  }
};

// Of a map of connections by their numbers, which grow.
template <class Connections, class Ended, class Stranger>
Crowd CrowdOf(const Connections& connections, Ended&& ended, Stranger&& stranger) {
  Crowd crowd;
  for (const auto& [id, connection] : connections) {
    if (ended(connection)) continue;
    ++crowd.connections;
    if (stranger(connection) && crowd.strangers++ == 0) crowd.oldest = id;
  }
  return crowd;
}

}  // namespace lathe::runtime::rpc
