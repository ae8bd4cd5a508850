// Results that take over an argument's memory. Internal to schedule/.
#pragma once

#include <string>

#include "schedule/schedule.h"

namespace lathe::schedule {

// Why the result `to` cannot lie in the memory of the argument `from`; "" if it can. It can if `to`
// is a map that reads `from` at its own places only, and nothing else reads `from`: then each
// element is read before it is replaced, in whatever order the loops run. `normal` is a normalized
// schedule.
std::string WhyNotInPlace(const Schedule& normal, const Tensor& from, const Tensor& to);

}  // namespace lathe::schedule
