// The wire format of FlatBuffers: tables of fields that are found by offsets
// (https://flatbuffers.dev/internals).
//
// Nothing is copied, and every offset is checked before it is followed. Offsets may lead to the
// same place many times, so a small file could claim to be huge: what is read may be at most
// kMostReads times as large as the file. Malformed bytes throw Error "tflite-malformed" with the
// offset.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::graph::tflite {

class Table;

// The bytes of a file, and how much of them may still be read. It lives longer than its tables.
class FlatBuffer {
 public:
  static constexpr uint64_t kMostReads = 8;
  explicit FlatBuffer(std::string_view bytes) : bytes_(bytes) { Restart(); }
  // What was read counts no more.
  void Restart() const { reads_left_ = kMostReads * (bytes_.size() + 64); }

  Table Root() const;
  std::string_view bytes() const { return bytes_; }
  // `count` bytes from `at` on.
  std::string_view Take(uint64_t at, uint64_t count, const char* what) const;
  template <class T>
  T Read(uint64_t at, const char* what) const {
    T value{};
    std::memcpy(&value, Take(at, sizeof(T), what).data(), sizeof(T));
    return value;
  }
  [[noreturn]] void Fail(const std::string& problem, uint64_t at) const;

 private:
  std::string_view bytes_;
  mutable std::atomic<uint64_t> reads_left_ = 0;
};

// A table. Fields have the numbers of the schema, counted from 0; a field that the file lacks has
// its default. `what` names the field in errors.
class Table {
 public:
  Table() = default;  // without fields
  Table(const FlatBuffer& file, uint64_t at, const char* what);

  bool Has(uint32_t field) const { return OffsetOf(field) != 0; }
  template <class T>
  T Get(uint32_t field, const char* what, T fallback = T{}) const {
    const uint64_t offset = OffsetOf(field);
    return offset == 0 ? fallback : file_->Read<T>(at_ + offset, what);
  }
  bool Flag(uint32_t field, const char* what, bool fallback = false) const {
    return Get<uint8_t>(field, what, fallback ? 1 : 0) != 0;
  }
  Table Sub(uint32_t field, const char* what) const;
  std::string_view Text(uint32_t field, const char* what) const;
  template <class T>
  std::vector<T> Numbers(uint32_t field, const char* what) const {
    const std::string_view bytes = Vector(field, sizeof(T), what);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  std::string_view Bytes(uint32_t field, const char* what) const { return Vector(field, 1, what); }
  std::vector<Table> Tables(uint32_t field, const char* what) const;

 private:
  uint64_t OffsetOf(uint32_t field) const;
  uint64_t Follow(uint64_t at, const char* what) const;
  std::string_view Vector(uint32_t field, uint64_t width, const char* what) const;

  const FlatBuffer* file_ = nullptr;
  uint64_t at_ = 0, fields_ = 0, count_ = 0;  // the list of the fields' offsets
};

}  // namespace lathe::graph::tflite
