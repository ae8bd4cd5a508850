#include "runtime/rpc/codec.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/rpc/crc32c.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr char kMagic[4] = {'L', 'R', 'P', 'C'};
constexpr size_t kCrcAt = 28;

template <class T>
void Put(T number, char* out) {
  std::memcpy(out, &number, sizeof(number));
}

template <class T>
T Get(const char* bytes) {
  T number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

uint32_t Checksum(const char* header, std::string_view body) {
  return Crc32c(SumOfHeader(header), body);
}

absl::Status Malformed(std::string_view problem) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                    {problem,
                     "\nexpected: a frame of Lathe's remote protocol\nhelp: is something "
                     "else listening at this address?"});
}

}  // namespace

absl::Status TooLarge(std::string_view what, size_t bytes) {
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "rpc-too-large",
      {what, " of ", std::to_string(bytes), " bytes; at most ", std::to_string(kMostBodyBytes),
       " can be sent\nhelp: send large data as tensors or as files"});
}

void PutHeader(uint16_t type, uint64_t request, std::string_view body, char out[kHeaderBytes]) {
  std::memcpy(out, kMagic, 4);
  Put(kNewestVersion, out + 4);
  Put(type, out + 6);
  Put(uint64_t{0}, out + 8);
  Put(request, out + 16);
  Put(static_cast<uint32_t>(body.size()), out + 24);
  Put(Checksum(out, body), out + kCrcAt);
}

absl::StatusOr<Header> ReadHeader(const char bytes[kHeaderBytes], size_t most) {
  if (std::memcmp(bytes, kMagic, 4) != 0) return Malformed("the bytes are no frame");
  Header header;
  header.version = Get<uint16_t>(bytes + 4);
  header.type = Get<uint16_t>(bytes + 6);
  header.request = Get<uint64_t>(bytes + 16);
  header.length = Get<uint32_t>(bytes + 24);
  header.crc = Get<uint32_t>(bytes + kCrcAt);
  if (header.version < kOldestVersion || header.version > kNewestVersion)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-version",
                      {"a frame of version ", std::to_string(header.version),
                       " of the remote protocol; here are versions ",
                       std::to_string(kOldestVersion), " to ", std::to_string(kNewestVersion)});
  if (Get<uint64_t>(bytes + 8) != 0) return Malformed("a frame has flags that are not known here");
  if (header.type == Chunk::kType) most = std::min<size_t>(most, kMostChunkBytes);
  if (header.length > most)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-too-large",
                      {MessageName(header.type), " of ", std::to_string(header.length),
                       " bytes; at most ", std::to_string(most), " are taken"});
  return header;
}

uint32_t SumOfHeader(const char header[kHeaderBytes]) {
  return Crc32c(0, std::string_view(header, kCrcAt));
}

absl::Status CheckBody(const char header[kHeaderBytes], std::string_view body) {
  return CheckSum(header, Checksum(header, body));
}

absl::Status CheckSum(const char header[kHeaderBytes], uint32_t sum) {
  if (sum == Get<uint32_t>(header + kCrcAt)) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kDataLoss, "rpc-damaged",
      {MessageName(Get<uint16_t>(header + 6)), " arrived damaged: its checksum is another one"});
}

absl::Status Unexpected(const Frame& frame, std::string_view wanted) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-unexpected",
                    {MessageName(frame.type), " arrived where ", wanted, " was expected"});
}

absl::StatusOr<std::optional<Frame>> FrameReader::Next() {
  LATHE_RETURN_IF_ERROR(broken_);
  const std::string_view bytes = std::string_view(buffer_).substr(begin_);
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  const absl::StatusOr<Header> header = ReadHeader(bytes.data(), most_);
  if (!header.ok()) return broken_ = header.status();
  if (bytes.size() - kHeaderBytes < header->length) return std::nullopt;
  const std::string_view body = bytes.substr(kHeaderBytes, header->length);
  if (absl::Status damaged = CheckBody(bytes.data(), body); !damaged.ok())
    return broken_ = std::move(damaged);
  Frame frame{header->type, header->request, std::string(body)};
  begin_ += kHeaderBytes + header->length;
  // Only now and then, so that many small frames in one piece are not moved for each.
  if (begin_ == buffer_.size() || begin_ > kMostControlBytes) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  return frame;
}

size_t FrameReader::wanted() const {
  if (waiting() < kHeaderBytes) return kHeaderBytes - waiting();
  const auto length = Get<uint32_t>(buffer_.data() + begin_ + 24);
  const size_t whole = kHeaderBytes + std::min<size_t>(length, most_);
  return whole > waiting() ? whole - waiting() : 0;
}

Failure ToFailure(const absl::Status& status) {
  // An error may quote much, and must fit into a control message.
  std::string text(status.message());
  if (size_t size = kMostControlBytes / 2; text.size() > size) {
    while (size > 0 && (text[size] & 0xC0) == 0x80) --size;  // whole characters of UTF-8
    text.replace(size, std::string::npos, " ...");
  }
  return {static_cast<int64_t>(status.code()), std::move(text)};
}

absl::Status FromFailure(const Failure& failure) {
  if (failure.code == 0) return absl::OkStatus();
  const bool known = failure.code > 0 && failure.code <= 16;
  return {known ? static_cast<absl::StatusCode>(failure.code) : absl::StatusCode::kUnknown,
          failure.text};
}

}  // namespace lathe::runtime::rpc
