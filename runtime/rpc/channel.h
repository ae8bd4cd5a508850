// Frames of a control connection, at first as they are, and under TLS from when both sides have
// proven the secret. No I/O; every party that speaks the protocol has one for each connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/rpc/codec.h"
#include "runtime/rpc/tls.h"

namespace lathe::runtime::rpc {

// Not thread-safe.
class Channel {
 public:
  // `most`: bytes of a frame's body.
  explicit Channel(size_t most) : reader_(most) {}

  // Bytes that arrived. Next may have output to send afterwards, also without a frame.
  void Feed(std::string_view bytes);
  // The next frame if it is there whole. Fails as FrameReader::Next, and with `rpc-tls`.
  absl::StatusOr<std::optional<Frame>> Next();
  // How many bytes may be fed without those of whatever follows (FrameReader::wanted).
  size_t wanted() const { return tls_ ? tls_->wanted() : reader_.wanted(); }

  // Sends frames; until TLS is ready they wait here.
  void Write(std::string_view frames);
  // What is to be sent now.
  std::string TakeOutput();

  // What both sides send from here on is under TLS.
  void Protect(TlsSide side, const Secret& key);
  bool is_protected() const { return tls_ != nullptr; }
  // Ends that from this side. What it writes, and what it reads, is not under TLS any more.
  void Unprotect();
  // The other side may do so; otherwise that is an error.
  void MayEnd() { may_end_ = true; }

 private:
  absl::Status Unlock();

  FrameReader reader_;
  std::unique_ptr<Tls> tls_;
  std::string output_, waiting_;
  bool may_end_ = false;
};

}  // namespace lathe::runtime::rpc
