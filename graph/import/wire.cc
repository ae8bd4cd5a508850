#include "graph/import/wire.h"

#include "base/error.h"

namespace lathe::graph {

void WireReader::Fail(const std::string& problem) const {
  throw Error(
      Diagnostic{.name = format_->name,
                 .message = "the bytes are no " + std::string(format_->what) + ": " + problem,
                 .found = "byte " + std::to_string(rest_.data() - file_.data()) + " of " +
                          std::to_string(file_.size()),
                 .help = format_->help});
}

uint64_t WireReader::Varint(const char* what) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (rest_.empty()) Fail(std::string("it ends within ") + what);
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    if (shift < 64) value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  Fail(std::string(what) + " is a number of more than 64 bits");
}

std::string_view WireReader::Take(uint64_t count, const char* what) {
  if (count > rest_.size()) {
    Fail(std::string(what) + " has " + std::to_string(count) + " bytes, but only " +
         std::to_string(rest_.size()) + " follow");
  }
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

bool WireReader::Next() {
  if (rest_.empty()) return false;
  const uint64_t key = Varint("the number of a field");
  if (key >> 3 == 0 || key >> 3 >= 1U << 29)
    Fail("a field has the number " + std::to_string(key >> 3));
  field_ = static_cast<uint32_t>(key >> 3);
  type_ = static_cast<uint8_t>(key & 7);
  if (type_ != kVarint && type_ != kFixed64 && type_ != kLength && type_ != kFixed32) {
    Fail("a field has the wire type " + std::to_string(type_));
  }
  return true;
}

void WireReader::Need(Type type, const char* what) {
  if (type_ != type) {
    Fail(std::string(what) + " has the wire type " + std::to_string(type_) + ", not " +
         std::to_string(type));
  }
}

int64_t WireReader::Int(const char* what) {
  Need(kVarint, what);
  return static_cast<int64_t>(Varint(what));
}

float WireReader::Float(const char* what) {
  Need(kFixed32, what);
  return Raw<float>(what);
}

std::string_view WireReader::Bytes(const char* what) {
  Need(kLength, what);
  return Take(Varint(what), what);
}

void WireReader::Skip() {
  constexpr const char* kWhat = "a field";
  switch (type_) {
    case kVarint:
      Varint(kWhat);
      return;
    case kFixed64:
      Take(8, kWhat);
      return;
    case kFixed32:
      Take(4, kWhat);
      return;
    default:
      Take(Varint(kWhat), kWhat);
  }
}

}  // namespace lathe::graph
