// Text for terminals: escapes the characters that control a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lathe::cli {

// `text` with control characters, except line ends and tabs, escaped as `\x1b`. Errors show names
// and lines from files, which could otherwise move the cursor or change text on the screen.
// Unicode's control characters (U+0080 to U+009f) are escaped as `\u009b`.
inline std::string Printable(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) {
      out += {'\\', 'u', '0', '0', kDigits[next >> 4], kDigits[next & 15]};
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace lathe::cli
