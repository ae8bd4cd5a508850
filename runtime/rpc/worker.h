// A worker process: serves one session, whose connection its supervisor passes to it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "runtime/rpc/service.h"
#include "runtime/rpc/transport.h"

namespace lathe::runtime::rpc {

// Where a worker finds the socket to its supervisor.
inline constexpr int kWorkerDescriptor = 3;

// In a worker's environment: "1" if it may write to its folder ($TMPDIR) only (confine.h).
inline constexpr char kConfinedVariable[] = "LATHE_WORKER_CONFINED";

// What the supervisor sends on that socket: one byte for the kind, 8 for the request's number.
inline constexpr char kPassSocket = 'S';  // with the descriptor of the data connection
// The same, and 32 bytes: the key of the connection's TLS.
inline constexpr char kPassProtected = 'T';
inline constexpr char kCancelRequest = 'C';
// The worker's answer to that: the request does not run (any more).
inline constexpr char kCancelDone = 'D';
inline constexpr size_t kWorkerMessageBytes = 9;

// A request that was cancelled and still runs after this ends the worker.
inline constexpr double kCancelSeconds = 1;

// For the client to complete the data connection's TLS, once the worker has it.
inline constexpr double kTlsSeconds = 10;

// The worker's end of a data connection; `key` as SupervisedWorker::Pass has it. Fails with
// `rpc-tls`, `link-lost` and `rpc-timeout`.
absl::StatusOr<std::unique_ptr<Transport>> OpenDataConnection(FileHandle socket,
                                                              std::string_view key);

// Limits what code of the session may do: it gets no new privileges, writes no core files, and ends
// with the supervisor. If kConfinedVariable says so, it is confined; where the kernel cannot, that
// is printed. A worker calls this before anything that starts threads, which would not be confined:
// if there are any, it ends the process with a message. A second call does nothing.
void LimitWorker();

// Waits for the connection and serves it with a session of this process. Returns when the client
// or the supervisor is gone; OK if that was in order. Calls LimitWorker first.
//
// `constructor` as Service has it.
absl::Status RunWorker(int supervisor, SessionConstructor constructor = {});

}  // namespace lathe::runtime::rpc
