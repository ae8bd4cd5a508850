// A transport under TLS, over another transport: the data connection of a session with a secret.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/tls.h"
#include "runtime/rpc/transport.h"

namespace lathe::runtime::rpc {

// Carries out the handshake, and returns when it is complete. `go_on` is asked at least every 50 ms;
// its error ends the attempt. Fails with `rpc-tls` and `link-lost`.
absl::StatusOr<std::unique_ptr<Transport>> NewTlsTransport(
    std::unique_ptr<Transport> inner, TlsSide side, const Secret& key,
    const std::function<absl::Status()>& go_on);

}  // namespace lathe::runtime::rpc
