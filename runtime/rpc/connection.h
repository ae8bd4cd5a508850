// Frames over a transport: the data connection, as seen from either end.
//
// Reading and writing are independent; each is done by one thread at a time, which the owner
// ensures. After an error the connection is broken, and every later call fails with that error.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/codec.h"
#include "runtime/rpc/transport.h"

namespace lathe::runtime::rpc {

class Connection {
 public:
  explicit Connection(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  // Reads the next header. Waits up to 50 ms for its first byte; false if none came.
  absl::StatusOr<bool> ReadHeader(Header* header);
  // Reads the body of the last header, which has `length` bytes, and checks it.
  absl::Status ReadBody(const Header& header, char* out);
  absl::StatusOr<Frame> ReadFrame(const Header& header);
  // Reads the body, checks it and forgets it. Needs no memory.
  absl::Status SkipBody(const Header& header);
  // Asked at least each 50 ms while a frame that has begun is incomplete; an error ends the wait.
  std::function<absl::Status()> waiting;

  // Writes everything. While the peer takes nothing, calls `stalled`, which waits for up to 50 ms;
  // its error ends the attempt, and breaks the connection.
  absl::Status Write(std::string_view bytes, const std::function<absl::Status()>& stalled);
  // Writes what is taken at once, and says how much that is. What comes next begins with the rest.
  absl::StatusOr<size_t> WriteSome(std::string_view bytes);
  // Writes `bytes` in frames of Chunk. After each it calls `go_on`, unless that is empty, with the
  // bytes that are written: false ends it, and the peer waits for the rest. Returns how many are
  // written.
  absl::StatusOr<uint64_t> WriteChunks(uint64_t request, std::string_view bytes,
                                       const std::function<absl::Status()>& stalled,
                                       const std::function<bool(uint64_t done)>& go_on = {});
  // As Upload has it: the digest of the digests of the chunks that WriteChunks sends.
  static std::string DigestOfChunks(std::string_view bytes);

  Transport& transport() { return *transport_; }

 private:
  absl::Status ReadExactly(char* out, size_t size);
  absl::Status WriteAll(std::span<iovec> pieces, const std::function<absl::Status()>& stalled);

  std::unique_ptr<Transport> transport_;
  // What was received beyond what was asked for.
  char buffer_[16384];
  size_t begin_ = 0, end_ = 0;
  char header_[kHeaderBytes];
  absl::Status read_broken_, write_broken_;
};

}  // namespace lathe::runtime::rpc
