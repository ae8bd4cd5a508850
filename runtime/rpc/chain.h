// Sessions that lead further: a worker connects with another server, and serves that session.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/session/session.h"
#include "runtime/value.h"

namespace lathe::runtime::rpc {

// The constructor `rpc.Connect`, with the arguments (host, port, key = "", enable_logging = false,
// a further constructor and its arguments). The secret is the one of this machine's environment.
// Others are refused with `rpc-constructor`, as are arguments of other kinds; it fails as Connect
// does.
absl::StatusOr<Ref<Session>> ConstructSession(const std::string& constructor,
                                              const std::vector<Value>& arguments);

}  // namespace lathe::runtime::rpc
