// Formats amounts for people. Internal to driver/explain.
#pragma once

#include <string>

#include "driver/explain/explain.h"

namespace lathe::driver {

// "1,048,576"; the expression if the number is not known.
std::string CountText(const Amount& amount);
// "4 MiB", "96 B"; the expression, in bytes, if the number is not known.
std::string BytesText(const Amount& amount);

}  // namespace lathe::driver
