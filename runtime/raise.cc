#include "runtime/raise.h"

#include <string>
#include <utility>

#include "base/message.h"
#include "runtime/value.h"

namespace lathe::runtime {
namespace {

thread_local ErrorRef pending_error;

// The text of a value inside a sentence: strings without quotes, numbers without their kind.
std::string Printed(lathe_value value, ShownAs as) {
  if (as != ShownAs::kItself && value.kind == LATHE_VALUE_INT) {
    if (as == ShownAs::kKind) return ValueKindText(value.v_int);
    value.kind = as == ShownAs::kDtype ? LATHE_VALUE_DTYPE : LATHE_VALUE_DEVICE;
  }
  std::string_view text;
  if (ValueTraits<std::string_view>::Get(value, &text) == Conversion::kOk) return std::string(text);
  std::string described = DescribeValue(value);
  const std::string prefix = KindName(value) + " ";
  const bool scalar = value.kind == LATHE_VALUE_INT || value.kind == LATHE_VALUE_FLOAT ||
                      value.kind == LATHE_VALUE_BOOL || value.kind == LATHE_VALUE_DTYPE ||
                      value.kind == LATHE_VALUE_DEVICE;
  return scalar && described.starts_with(prefix) ? described.substr(prefix.size()) : described;
}

}  // namespace

int32_t RaiseError(ErrorRef error) {
  if (!pending_error) pending_error = std::move(error);
  return -1;
}

int32_t Raise(std::string_view name, std::string_view format, const lathe_value* values,
              int32_t n) {
  if (pending_error) return -1;
  const std::string text = FillPlaces(format, static_cast<size_t>(n < 0 ? 0 : n),
                                      [&](size_t i, ShownAs as) { return Printed(values[i], as); });
  const size_t line = text.find('\n');
  const std::string_view notes =
      line == std::string::npos ? std::string_view() : std::string_view(text).substr(line + 1);
  return RaiseError(
      MakeErrorObject(LATHE_INVALID_ARGUMENT, name, std::string_view(text).substr(0, line), notes));
}

ErrorRef TakePendingError() {
  if (pending_error) return std::exchange(pending_error, ErrorRef());
  return MakeErrorObject(LATHE_INTERNAL, "unknown-failure",
                         "compiled code failed without saying why");
}

bool HasPendingError() { return static_cast<bool>(pending_error); }

}  // namespace lathe::runtime
