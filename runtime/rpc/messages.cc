#include "runtime/rpc/messages.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are copied as they are");

constexpr int kMostDepth = 4;
constexpr size_t kFieldHeader = 6;
constexpr uint16_t kCritical = 0x8000;

void PutHeader(uint16_t tag, size_t length, std::string* out) {
  const auto length32 = static_cast<uint32_t>(length);
  char bytes[kFieldHeader];
  std::memcpy(bytes, &tag, 2);
  std::memcpy(bytes + 2, &length32, 4);
  out->append(bytes, kFieldHeader);
}

void PutBytes(uint16_t tag, const void* data, size_t size, std::string* out) {
  PutHeader(tag, size, out);
  out->append(static_cast<const char*>(data), size);
}

void Put(uint16_t tag, uint64_t number, std::string* out) { PutBytes(tag, &number, 8, out); }
void Put(uint16_t tag, int64_t number, std::string* out) { PutBytes(tag, &number, 8, out); }
void Put(uint16_t tag, double number, std::string* out) { PutBytes(tag, &number, 8, out); }
void Put(uint16_t tag, const std::string& text, std::string* out) {
  PutBytes(tag, text.data(), text.size(), out);
}
// Lists of numbers are one field, and absent if they are empty.
void Put(uint16_t tag, const Numbers& numbers, std::string* out) {
  if (!numbers.empty()) PutBytes(tag, numbers.data(), 8 * numbers.size(), out);
}
void Put(uint16_t tag, const Samples& numbers, std::string* out) {
  if (!numbers.empty()) PutBytes(tag, numbers.data(), 8 * numbers.size(), out);
}
template <class Part>
void Put(uint16_t tag, const Part& part, std::string* out) {
  const size_t begin = out->size();
  PutHeader(tag, 0, out);
  Encode(part, out);
  const auto length = static_cast<uint32_t>(out->size() - begin - kFieldHeader);
  std::memcpy(out->data() + begin + 2, &length, 4);
}
template <class T>
void Put(uint16_t tag, const std::optional<T>& item, std::string* out) {
  if (item) Put(tag, *item, out);
}
template <class T>
void Put(uint16_t tag, const std::vector<T>& items, std::string* out) {
  for (const T& item : items) Put(tag, item, out);
}

template <class T>
inline constexpr bool kRequired = true;
template <class T>
inline constexpr bool kRequired<std::optional<T>> = false;
template <class T>
inline constexpr bool kRequired<std::vector<T>> = false;

// Whether several fields of one tag are one list.
template <class T>
inline constexpr bool kRepeated = false;
template <class T>
inline constexpr bool kRepeated<std::vector<T>> = !std::is_arithmetic_v<T>;

// The fields of one body, one after the other. The first problem is kept, and ends it.
class FieldReader {
 public:
  FieldReader(std::string_view bytes, const char* message, int depth)
      : bytes_(bytes), message_(message), depth_(depth) {}

  // False at the end or after a problem.
  bool Next() {
    if (!status_.ok() || bytes_.empty()) return false;
    uint32_t length = 0;
    if (bytes_.size() < kFieldHeader) return Fail("a field is cut off");
    std::memcpy(&tag_, bytes_.data(), 2);
    std::memcpy(&length, bytes_.data() + 2, 4);
    bytes_.remove_prefix(kFieldHeader);
    if (length > bytes_.size()) return Fail("the field is longer than the message");
    field_ = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return true;
  }
  uint16_t tag() const { return tag_; }

  template <class T>
  void Take(T* out) {
    const uint64_t bit = uint64_t{1} << tag_;
    if ((seen_ & bit) != 0 && !kRepeated<T>) {
      Fail("the field is there twice");
      return;
    }
    seen_ |= bit;
    Read(out);
  }
  void Unknown() {
    if ((tag_ & kCritical) != 0) Fail("the field is not known here, and must not be skipped");
  }
  absl::Status Finish(uint64_t required) {
    if (status_.ok() && (required & ~seen_) != 0) {
      tag_ = static_cast<uint16_t>(std::countr_zero(required & ~seen_));
      Fail("the field is missing");
    }
    return std::move(status_);
  }

 private:
  bool Fail(const char* problem) {
    status_ = MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                         {message_, ", field ", std::to_string(tag_), ": ", problem});
    return false;
  }

  void ReadNumber(void* out) {
    if (field_.size() != 8) {
      Fail("a number has 8 bytes");
      return;
    }
    std::memcpy(out, field_.data(), 8);
  }
  void Read(uint64_t* out) { ReadNumber(out); }
  void Read(int64_t* out) { ReadNumber(out); }
  void Read(double* out) { ReadNumber(out); }
  void Read(std::string* out) { out->assign(field_); }
  template <class T>
  void Read(std::optional<T>* out) {
    Read(&out->emplace());
  }
  template <class T>
  void Read(std::vector<T>* out) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (field_.size() % 8 != 0) {
        Fail("a list of numbers has 8 bytes for each");
        return;
      }
      out->resize(field_.size() / 8);
      if (!field_.empty()) std::memcpy(out->data(), field_.data(), field_.size());
    } else {
      Read(&out->emplace_back());
    }
  }
  template <class Part>
  void Read(Part* out);

  std::string_view bytes_, field_;
  const char* message_;
  int depth_;
  uint16_t tag_ = 0;
  uint64_t seen_ = 0;
  absl::Status status_;
};

// DecodeFields(bytes, out, depth) of every struct.
#define LATHE_PART(Name, doc) constexpr uint64_t kRequiredOf##Name = 0
#define LATHE_MESSAGE(Name, number, doc) LATHE_PART(Name, doc)
#define LATHE_FIELD(Name, tag, type, name, doc) | (kRequired<type> ? uint64_t{1} << (tag) : 0)
#define LATHE_END(Name) ;
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END

#define LATHE_PART(Name, doc) \
  absl::Status DecodeFields(std::string_view bytes, Name* out, int depth);
#define LATHE_MESSAGE(Name, number, doc) LATHE_PART(Name, doc)
#define LATHE_FIELD(Name, tag, type, name, doc)
#define LATHE_END(Name)
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END

template <class Part>
void FieldReader::Read(Part* out) {
  if (depth_ >= kMostDepth) {
    Fail("parts are nested too deeply");
    return;
  }
  status_ = DecodeFields(field_, out, depth_ + 1);
}

#define LATHE_PART(Name, doc)                                               \
  absl::Status DecodeFields(std::string_view bytes, Name* out, int depth) { \
    [[maybe_unused]] Name& message = *out;                                  \
    FieldReader reader(bytes, #Name, depth);                                \
    while (reader.Next()) {                                                 \
      switch (reader.tag()) {
#define LATHE_MESSAGE(Name, number, doc) LATHE_PART(Name, doc)
#define LATHE_FIELD(Name, tag, type, name, doc) \
  case tag:                                     \
    reader.Take(&message.name);                 \
    break;
#define LATHE_END(Name)                      \
  default:                                   \
    reader.Unknown();                        \
    }                                        \
    }                                        \
    return reader.Finish(kRequiredOf##Name); \
    }
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END

}  // namespace

#define LATHE_PART(Name, doc)                                                                    \
  absl::Status Decode(std::string_view bytes, Name* out) { return DecodeFields(bytes, out, 0); } \
  void Encode([[maybe_unused]] const Name& message, [[maybe_unused]] std::string* out) {
#define LATHE_MESSAGE(Name, number, doc) LATHE_PART(Name, doc)
#define LATHE_FIELD(Name, tag, type, name, doc) Put(tag, message.name, out);
#define LATHE_END(Name) }
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END

std::string MessageName(uint16_t type) {
  switch (type) {
#define LATHE_PART(Name, doc)
#define LATHE_MESSAGE(Name, number, doc) \
  case number:                           \
    return #Name;
#define LATHE_FIELD(Name, tag, type, name, doc)
#define LATHE_END(Name)
#include "runtime/rpc/messages.def"
#undef LATHE_PART
#undef LATHE_MESSAGE
#undef LATHE_FIELD
#undef LATHE_END
    default:
      return "message " + std::to_string(type);
  }
}

}  // namespace lathe::runtime::rpc
