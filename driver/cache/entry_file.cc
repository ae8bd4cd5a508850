#include "driver/cache/entry_file.h"

#include "runtime/artifact/bytes.h"

namespace lathe::driver {
namespace {

using runtime::ReadLittle;

constexpr std::string_view kMagic = "LATHECC1";
constexpr size_t kHead = 8 + 16 + 4 + 4 + 8, kTail = 16;

template <class T>
void Put(std::string& out, T value) {
  char raw[sizeof(T)];
  runtime::WriteLittle<T>(raw, value);
  out.append(raw, sizeof(T));
}
void PutDigest(std::string& out, const Digest& digest) {
  Put<uint64_t>(out, digest.low);
  Put<uint64_t>(out, digest.high);
}
Digest ReadDigest(const char* at) {
  return {ReadLittle<uint64_t>(at), ReadLittle<uint64_t>(at + 8)};
}

}  // namespace

std::string EncodeEntry(const Digest& key, const CacheEntry& entry) {
  const std::string_view kind = std::string_view(entry.kind).substr(0, 64);
  const std::string_view label = std::string_view(entry.label).substr(0, 200);
  std::string out;
  out.reserve(kHead + kind.size() + label.size() + entry.bytes.size() + kTail);
  out += kMagic;
  PutDigest(out, key);
  Put<uint32_t>(out, static_cast<uint32_t>(kind.size()));
  Put<uint32_t>(out, static_cast<uint32_t>(label.size()));
  Put<uint64_t>(out, entry.bytes.size());
  out.append(kind).append(label).append(entry.bytes);
  PutDigest(out, DigestOf(out));
  return out;
}

std::optional<CacheEntry> DecodeEntry(std::string_view file, const Digest& key,
                                      std::string* reason) {
  const auto bad = [&](const char* why) {
    *reason = why;
    return std::nullopt;
  };
  if (file.size() < kHead + kTail) return bad("it is too short");
  if (file.substr(0, 8) != kMagic) return bad("it does not begin as an entry");
  const uint64_t kind = ReadLittle<uint32_t>(file.data() + 24);
  const uint64_t label = ReadLittle<uint32_t>(file.data() + 28);
  const uint64_t bytes = ReadLittle<uint64_t>(file.data() + 32);
  const uint64_t room = file.size() - kHead - kTail;
  if (kind > room || label > room - kind || bytes != room - kind - label)
    return bad("its parts do not fill it");
  if (ReadDigest(file.data() + file.size() - kTail) !=
      DigestOf(file.substr(0, file.size() - kTail)))
    return bad("its digest is another than was stored");
  if (ReadDigest(file.data() + 8) != key) return bad("it is the entry of another key");
  CacheEntry out;
  out.kind = file.substr(kHead, kind);
  out.label = file.substr(kHead + kind, label);
  out.bytes = file.substr(kHead + kind + label, bytes);
  return out;
}

}  // namespace lathe::driver
