// Little-endian bytes of plans and parameter files: a writer, and a reader that checks all bounds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {

inline void PutNumber(std::string& out, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}
// 32 bits of size, then the characters.
inline void PutText(std::string& out, std::string_view text) {
  PutNumber(out, text.size(), 4);
  out += text;
}
inline void PutDigest(std::string& out, const Digest& digest) {
  PutNumber(out, digest.low, 8);
  PutNumber(out, digest.high, 8);
}

// Borrows the bytes. Every method returns false, and reads nothing, if too few bytes are left.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  bool Bytes(uint64_t size, std::string_view* out) {
    if (size > left()) return false;
    *out = bytes_.substr(at_, static_cast<size_t>(size));
    at_ += static_cast<size_t>(size);
    return true;
  }
  // An unsigned number of `size` bytes.
  bool Number(int size, uint64_t* out) {
    std::string_view part;
    if (!Bytes(static_cast<uint64_t>(size), &part)) return false;
    *out = 0;
    for (int i = 0; i < size; ++i)
      *out |= static_cast<uint64_t>(static_cast<unsigned char>(part[static_cast<size_t>(i)]))
              << (8 * i);
    return true;
  }
  bool Int32(int32_t* out) {
    uint64_t number = 0;
    if (!Number(4, &number)) return false;
    *out = static_cast<int32_t>(static_cast<uint32_t>(number));
    return true;
  }
  bool Int64(int64_t* out) {
    uint64_t number = 0;
    if (!Number(8, &number)) return false;
    *out = static_cast<int64_t>(number);
    return true;
  }
  bool Text(std::string* out) {
    uint64_t size = 0;
    std::string_view part;
    if (!Number(4, &size) || !Bytes(size, &part)) return false;
    *out = part;
    return true;
  }
  bool ReadDigest(Digest* out) { return Number(8, &out->low) && Number(8, &out->high); }
  // A number of entries of at least `entry_bytes` bytes each: false if they cannot all follow, so
  // that a damaged number never becomes a large allocation.
  bool Count(size_t entry_bytes, size_t* out) {
    uint64_t count = 0;
    if (!Number(4, &count) || count > left() / entry_bytes) return false;
    *out = static_cast<size_t>(count);
    return true;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// The versions of a format that are read.
struct Versions {
  uint64_t oldest, newest;
};

// The errors of a format: where bytes are damaged and how, and that they are of another version.
struct BytesErrors {
  absl::Status (*corrupt)(size_t at, std::string_view what);
  absl::Status (*other_version)(uint64_t found);
};

// Reads what each format begins with: its magic text, and a version of 32 bits.
inline absl::Status ReadHeader(ByteReader& reader, std::string_view magic, Versions versions,
                               const BytesErrors& errors) {
  std::string_view begin;
  uint64_t found = 0;
  if (!reader.Bytes(magic.size(), &begin) || begin != magic)
    return errors.corrupt(0, "it does not begin as one");
  if (!reader.Number(4, &found)) return errors.corrupt(reader.at(), "it ends after its first word");
  return versions.oldest <= found && found <= versions.newest ? absl::OkStatus()
                                                              : errors.other_version(found);
}

// Reads the header of bytes that end with a digest of everything before it. The result reads what
// is between both.
inline absl::StatusOr<ByteReader> ReadSealed(std::string_view bytes, std::string_view magic,
                                             Versions versions, const BytesErrors& errors) {
  constexpr size_t kDigestBytes = 16;
  ByteReader reader(bytes);
  LATHE_RETURN_IF_ERROR(ReadHeader(reader, magic, versions, errors));
  if (reader.left() < kDigestBytes)
    return errors.corrupt(bytes.size(), "it ends inside its header");
  const size_t end = bytes.size() - kDigestBytes;
  Digest stored;
  ByteReader(bytes.substr(end)).ReadDigest(&stored);
  if (stored != DigestOf(bytes.substr(0, end)))
    return errors.corrupt(end, "its digest is another than was stored");
  ByteReader body(bytes.substr(0, end));
  std::string_view header;
  body.Bytes(reader.at(), &header);
  return body;
}

}  // namespace lathe::runtime::graph
