#include "base/message.h"

#include "lathe/abi/value.h"

namespace lathe {

MessagePlace PlaceAt(std::string_view format, size_t at) {
  const std::string_view text = format.substr(at);
  if (text.size() < 3 || text[0] != '{' || text[1] < '0' || text[1] > '7') return {};
  const auto value = static_cast<size_t>(text[1] - '0');
  if (text[2] == '}') return {3, value, ShownAs::kItself};
  const std::string_view how = text.substr(2);
  if (how.starts_with(":kind}")) return {8, value, ShownAs::kKind};
  if (how.starts_with(":dtype}")) return {9, value, ShownAs::kDtype};
  if (how.starts_with(":device}")) return {10, value, ShownAs::kDevice};
  return {};
}

std::string ValueKindText(int64_t kind) {
  switch (kind) {
    case LATHE_VALUE_NONE:
      return "none";
    case LATHE_VALUE_INT:
      return "an integer";
    case LATHE_VALUE_BOOL:
      return "a bool";
    case LATHE_VALUE_FLOAT:
      return "a float";
    case LATHE_VALUE_POINTER:
      return "a pointer";
    case LATHE_VALUE_DTYPE:
      return "an element type";
    case LATHE_VALUE_DEVICE:
      return "a device";
    case LATHE_VALUE_DLTENSOR:
      return "a tensor";
    case LATHE_VALUE_STRING:
      return "a string";
    case LATHE_VALUE_BYTES:
      return "bytes";
    case LATHE_VALUE_OBJECT:
      return "an object";
    default:
      return "an unknown kind (" + std::to_string(kind) + ")";
  }
}

}  // namespace lathe
