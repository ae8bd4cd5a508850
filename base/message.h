// Messages with places for values: how compiled code says what it found. The runtime fills them
// (runtime/raise.h), the interpreter does in its stead.
//
//   {0} ... {7}    the value of that number, as its kind is printed
//   {0:kind}       an integer that is a lathe_value_kind: "a string"
//   {0:dtype}      an integer that is a DLDataType, its code in the low byte: "float32"
//   {0:device}     an integer that is a DLDevice, its kind in the low half: "cuda:1"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lathe {

inline constexpr size_t kMostShown = 8;  // values that a message can show

enum class ShownAs : uint8_t { kItself, kKind, kDtype, kDevice };

struct MessagePlace {
  size_t size = 0;  // bytes of its text; 0: no place is there
  size_t value = 0;
  ShownAs as = ShownAs::kItself;
};

// The place that begins at format[at]. All that is spelled otherwise is ordinary text.
MessagePlace PlaceAt(std::string_view format, size_t at);

// `format` with print(number, as) in its places; those for values beyond `count` stay as they are.
template <class Print>
std::string FillPlaces(std::string_view format, size_t count, Print print) {
  std::string text;
  for (size_t i = 0; i < format.size();) {
    const MessagePlace place = PlaceAt(format, i);
    if (place.size != 0 && place.value < count) {
      text += print(place.value, place.as);
      i += place.size;
    } else {
      text += format[i++];
    }
  }
  return text;
}

// What values of a lathe_value_kind are, as a message says it: "an integer", "a tensor"; "an
// unknown kind (65)".
std::string ValueKindText(int64_t kind);

}  // namespace lathe
