// Frames: a header of 32 bytes, and a body. Bytes to messages and back; nothing here does I/O.
//
//   0 magic "LRPC"   8 flags (0)    16 request (64 bits)
//   4 version (16)  12 stream (0)   24 length of the body
//   6 type (16)                     28 CRC32C of the header before it, and of the body
//
// All little-endian. Types and bodies are in messages.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/messages.h"

namespace lathe::runtime::rpc {

// The protocol's versions that this code speaks.
inline constexpr uint16_t kOldestVersion = 1, kNewestVersion = 1;

inline constexpr size_t kHeaderBytes = 32;
inline constexpr size_t kMostControlBytes = size_t{64} << 10;  // body of a control message
inline constexpr size_t kMostChunkBytes = size_t{1} << 20;     // body of a Chunk
inline constexpr size_t kMostBodyBytes = size_t{4} << 20;      // body of any other message

struct Header {
  uint16_t version = kNewestVersion;
  uint16_t type = 0;
  uint64_t request = 0;
  uint32_t length = 0;
  uint32_t crc = 0;
};

// For whoever would send a body of more than kMostBodyBytes: `rpc-too-large`, about `what`.
absl::Status TooLarge(std::string_view what, size_t bytes);
// The header of a frame with this body, with its checksum.
void PutHeader(uint16_t type, uint64_t request, std::string_view body, char out[kHeaderBytes]);
// Fails with `rpc-malformed` (no frame begins here), `rpc-version`, `rpc-too-large` (more than
// `most` bytes of body, or for a Chunk more than kMostChunkBytes).
absl::StatusOr<Header> ReadHeader(const char bytes[kHeaderBytes], size_t most);
// Fails with `rpc-damaged`.
absl::Status CheckBody(const char header[kHeaderBytes], std::string_view body);
// The same of a body that comes in parts: the sum is that of the header, and then of each part, by
// Crc32c (crc32c.h).
uint32_t SumOfHeader(const char header[kHeaderBytes]);
absl::Status CheckSum(const char header[kHeaderBytes], uint32_t sum);

// One message as a whole frame.
template <class Message>
std::string EncodeFrame(const Message& message, uint64_t request = 0) {
  static_assert(Message::kType != 0, "a part is no message");
  std::string frame(kHeaderBytes, '\0');
  Encode(message, &frame);
  PutHeader(Message::kType, request, std::string_view(frame).substr(kHeaderBytes), frame.data());
  return frame;
}

struct Frame {
  uint16_t type = 0;
  uint64_t request = 0;
  std::string body;
};

// Fails with `rpc-unexpected` if the frame is another message, and as Decode does.
template <class Message>
absl::Status DecodeFrame(const Frame& frame, Message* out);
absl::Status Unexpected(const Frame& frame, std::string_view wanted);

template <class Message>
absl::Status DecodeFrame(const Frame& frame, Message* out) {
  if (frame.type != Message::kType) return Unexpected(frame, MessageName(Message::kType));
  return Decode(frame.body, out);
}

// Puts frames together from pieces as they arrive. After an error it gives no more. Not
// thread-safe.
class FrameReader {
 public:
  // `most`: bytes of a body. The reader keeps at most that and what one Feed brings.
  explicit FrameReader(size_t most) : most_(most) {}
  void Feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next frame if it is there whole. Fails as ReadHeader and CheckBody do.
  absl::StatusOr<std::optional<Frame>> Next();
  // How many bytes the frame that has begun still needs, as far as is known: first the header's,
  // then the body's. Who feeds no more than that never has bytes of the next frame.
  size_t wanted() const;
  // Bytes that belong to no frame yet.
  size_t waiting() const { return buffer_.size() - begin_; }
  // Takes them away: what follows on the wire is not in frames.
  std::string TakeRest() {
    std::string rest = buffer_.substr(begin_);
    buffer_.clear();
    begin_ = 0;
    return rest;
  }

 private:
  size_t most_;
  std::string buffer_;
  size_t begin_ = 0;
  absl::Status broken_;
};

// A status on its way, and back. What came is never OK by mistake: unknown codes become kUnknown.
Failure ToFailure(const absl::Status& status);
absl::Status FromFailure(const Failure& failure);

}  // namespace lathe::runtime::rpc
