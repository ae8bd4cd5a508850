// Opens sessions with servers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/object.h"
#include "runtime/rpc/control_client.h"
#include "runtime/rpc/remote_session.h"

namespace lathe::runtime::rpc {

struct ConnectOptions {
  std::string host = "127.0.0.1";
  int port = 9090;
  ControlOptions control;  // `machine` is filled in
  double timeout = 10;     // seconds to reach the server
  // Makes the session that the server serves, instead of its own, if not empty (chain.h). Its
  // arguments are numbers, truth values and text.
  std::string constructor;
  std::vector<Value> constructor_arguments;
  // Told the place in the queue, each time that it changes; 1 is the next. Not in the first
  // `queued_after` seconds, in which a session often opens.
  std::function<void(uint64_t place)> queued;
  double queued_after = 0;
};

// Waits as long as other sessions come first; can be interrupted (base/poll.h). Fails with
// `rpc-unreachable`, `rpc-timeout`, `rpc-version`, `rpc-secret`, `rpc-no-device`, `rpc-refused`,
// `rpc-constructor`, `link-lost`, `thread-refused`. A thread keeps the session alive until it is
// closed.
absl::StatusOr<Ref<RemoteSession>> Connect(ConnectOptions options);

}  // namespace lathe::runtime::rpc
