#include "driver/explain/units.h"

#include <cstdio>

namespace lathe::driver {

std::string CountText(const Amount& amount) {
  if (!amount.known) return amount.text;
  std::string out = amount.text;
  for (size_t at = out.size(); at > 3 + (out[0] == '-' ? 1u : 0u);) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}

std::string BytesText(const Amount& amount) {
  if (!amount.known) return amount.text + " B";
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = amount.value;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[64];
  std::snprintf(text, sizeof text,
                value >= 100 || value == static_cast<int>(value) ? "%.0f %s" : "%.1f %s", value,
                kUnits[unit]);
  return text;
}

}  // namespace lathe::driver
