#include "runtime/status.h"

#include "base/error.h"

namespace lathe::runtime {
namespace {

// The length of "[name] " at the beginning; 0 if there is none.
size_t PrefixSize(std::string_view message) {
  if (message.empty() || message[0] != '[') return 0;
  for (size_t i = 1; i < message.size() && i < 96; ++i) {
    const char c = message[i];
    if (c == ']') return i > 1 && i + 1 < message.size() && message[i + 1] == ' ' ? i + 2 : 0;
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') return 0;
  }
  return 0;
}

}  // namespace

absl::Status MakeStatus(absl::StatusCode code, std::string_view name,
                        std::initializer_list<std::string_view> message) {
  LATHE_CHECK(code != absl::StatusCode::kOk);
  std::string text = "[";
  text += name;
  text += "] ";
  for (std::string_view part : message) text += part;
  return absl::Status(code, text);
}

absl::Status MakeStatus(absl::StatusCode code, std::string_view name, std::string_view message) {
  return MakeStatus(code, name, {message});
}

std::string_view StatusName(const absl::Status& status) {
  const std::string_view message = status.message();
  const size_t prefix = PrefixSize(message);
  return prefix == 0 ? std::string_view() : message.substr(1, prefix - 3);
}

std::string_view StatusText(const absl::Status& status) {
  const std::string_view message = status.message();
  return message.substr(PrefixSize(message));
}

}  // namespace lathe::runtime
