// Shapes from metadata and from the command line, one line each: an extent, its value, and so on.
// The last line is the extent to compute. The result is a number >= 0 or a status.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tools/lathe/extents.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::cli;  // NOLINT(google-build-using-namespace)
  if (size > 4096) return 0;
  std::vector<std::string> lines = {""};
  for (size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      lines.emplace_back();
    else
      lines.back() += static_cast<char>(data[i]);
  }
  Extents extents;
  std::vector<std::string> texts;
  std::vector<int64_t> shape;
  for (size_t i = 0; i + 2 < lines.size(); i += 2) {
    std::vector<int64_t> values;
    if (!ParseShape(lines[i + 1], &values)) continue;
    for (int64_t value : values) {
      LATHE_CHECK(value >= 0);
      texts.push_back(lines[i]);
      shape.push_back(value);
    }
  }
  extents.Solve(texts, shape);
  const auto value = extents.Evaluate(lines.back());
  LATHE_CHECK(!value.ok() || *value >= 0);
  for (const std::string& text : texts) {
    const auto again = extents.Evaluate(text);
    LATHE_CHECK(!again.ok() || *again >= 0);
  }
  return 0;
}
