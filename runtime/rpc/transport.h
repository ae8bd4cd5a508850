// The way bytes take between two processes. dial.h makes connections; TLS is in tls_transport.h.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"

namespace lathe::runtime::rpc {

// One thread may receive while another one sends. All methods fail with `link-lost` when the
// connection is broken, and Receive also when the peer has closed it.
class Transport {
 public:
  virtual ~Transport() = default;
  // Waits up to 50 ms for bytes. 0 if none came.
  virtual absl::StatusOr<size_t> Receive(char* out, size_t size) = 0;
  // Sends what the system takes at once; 0 if that is nothing. The next call goes on with the bytes
  // that were not taken: they may be on their way already.
  virtual absl::StatusOr<size_t> Send(std::span<const iovec> pieces) = 0;
  // Waits up to 50 ms until Send takes bytes or, if `or_received`, Receive has some.
  virtual void WaitToSend(bool or_received) = 0;
  // True if Receive has bytes now, or fails.
  virtual bool Receivable() = 0;
  // Breaks the connection. Any thread; wakes those that wait.
  virtual void Shutdown() = 0;
};

// Over a connected stream socket, which it owns.
std::unique_ptr<Transport> NewSocketTransport(FileHandle socket);
// A connection between two ends of this process.
absl::StatusOr<std::pair<FileHandle, FileHandle>> NewSocketPair();
absl::Status LinkLost(std::string_view why);

}  // namespace lathe::runtime::rpc
