// The wire format of protobuf messages: a list of fields, each a number and a value
// (https://protobuf.dev/programming-guides/encoding).
//
// Nothing is copied: texts, bytes and inner messages are views of the message. All lengths are
// checked before they are used. Malformed bytes throw an Error that the format names,
// with the offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lathe::graph {

// What errors about malformed messages of a format say.
struct WireFormat {
  const char* name;  // of the error
  const char* what;  // "ONNX model"
  const char* help;
};

class WireReader {
 public:
  // `message` lies within `file`, which only serves to name offsets. `format` lives longer.
  WireReader(std::string_view message, std::string_view file, const WireFormat& format)
      : rest_(message), file_(file), format_(&format) {}

  // Goes to the next field. False at the end of the message.
  bool Next();
  uint32_t field() const { return field_; }

  // The value of the field. One of them is called once for each field; a field of another wire type
  // is an error. `what` names the field in errors.
  int64_t Int(const char* what);
  float Float(const char* what);
  std::string_view Bytes(const char* what);
  WireReader Message(const char* what) { return {Bytes(what), file_, *format_}; }
  // A field that is of no use.
  void Skip();
  // An element of a repeated number, or all elements if they are packed. `add` gets each.
  template <class Add>
  void Ints(const char* what, Add add) {
    if (type_ == kLength) {
      WireReader packed = Message(what);
      while (!packed.rest_.empty()) add(static_cast<int64_t>(packed.Varint(what)));
    } else {
      add(Int(what));
    }
  }
  template <class T, class Add>
  void Fixed(const char* what, Add add) {
    if (type_ == kLength) {
      WireReader packed = Message(what);
      while (!packed.rest_.empty()) add(packed.template Raw<T>(what));
    } else {
      Need(sizeof(T) == 4 ? kFixed32 : kFixed64, what);
      add(Raw<T>(what));
    }
  }

 private:
  enum Type : uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };
  uint64_t Varint(const char* what);
  std::string_view Take(uint64_t count, const char* what);
  template <class T>
  T Raw(const char* what) {
    T value{};
    __builtin_memcpy(&value, Take(sizeof(T), what).data(), sizeof(T));
    return value;
  }
  void Need(Type type, const char* what);
  [[noreturn]] void Fail(const std::string& problem) const;

  std::string_view rest_, file_;
  const WireFormat* format_;
  uint32_t field_ = 0;
  uint8_t type_ = 0;
};

}  // namespace lathe::graph
