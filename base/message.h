// Message formats with places for values. Compiled code uses them to report errors. The runtime
// fills the places (runtime/raise.h); under the interpreter, the interpreter does.
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

inline constexpr size_t kMostShown = 8;  // the number of values that a message can show

enum class ShownAs : uint8_t { kItself, kKind, kDtype, kDevice };

struct MessagePlace {
  size_t size = 0;  // length of the place's text in bytes; 0: there is no place
  size_t value = 0;
  ShownAs as = ShownAs::kItself;
};

// The place that begins at format[at]. Anything spelled differently is ordinary text (size 0).
MessagePlace PlaceAt(std::string_view format, size_t at);

// `format` with each place replaced by print(number, as). Places of values from `count` on stay as
// they are.
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

// A lathe_value_kind in the words of a message: "an integer", "a tensor", "an unknown kind (65)".
std::string ValueKindText(int64_t kind);

}  // namespace lathe
