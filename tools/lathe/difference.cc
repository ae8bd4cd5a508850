#include "tools/lathe/difference.h"

#include <algorithm>
#include <cmath>

#include "runtime/status.h"
#include "tools/lathe/numbers.h"

namespace lathe::cli {

Difference DifferenceOf(const std::vector<double>& ours, const std::vector<double>& theirs,
                        const Tolerance& tolerance) {
  Difference out;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double a = ours[i], b = theirs[i];
    if (std::isfinite(b)) out.largest = std::max(out.largest, std::fabs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double difference = std::fabs(a - b);
    out.most = std::max(out.most, std::isfinite(difference) ? difference : INFINITY);
  }
  out.agrees = out.most <= tolerance.Of(out.largest);
  return out;
}

absl::StatusOr<Difference> DifferenceOf(const runtime::Tensor& ours, const runtime::Tensor& theirs,
                                        const Tolerance& tolerance) {
  if (!std::ranges::equal(ours.shape(), theirs.shape()))
    return Difference{.same_shape = false, .agrees = false};
  LATHE_ASSIGN_OR_RETURN(const std::vector<double> a, NumbersOf(ours));
  LATHE_ASSIGN_OR_RETURN(const std::vector<double> b, NumbersOf(theirs));
  return DifferenceOf(a, b, tolerance);
}

}  // namespace lathe::cli
