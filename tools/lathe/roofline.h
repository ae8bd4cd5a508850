// What a kernel cannot be faster than on this machine, as measured on it: for pages about tuning.
//
// Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model" (2009): the
// time of arithmetic at the highest rate, or of moving its arguments once, whichever is longer. The
// rate is what a product of matrices (512 x 512 x 512, float32) reaches with the default schedule;
// how fast memory is depends on the size, so a map over as many bytes is measured. Both use all
// threads, and caches are warm, as they are when candidates are measured.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "target/target.h"

namespace lathe::cli {

// Not thread-safe.
class Roofline {
 public:
  // Takes a quarter of a second. Null if `target` is not this machine's processor.
  static absl::StatusOr<std::unique_ptr<Roofline>> Measure(const target::Target& target);

  // The canonical target's text.
  std::string target() const { return target_.ToString(); }
  // Operations on float32 per second.
  double rate() const { return rate_; }
  // Seconds of a kernel with so many operations, whose arguments have so many bytes. Measures if
  // that size is a new one.
  absl::StatusOr<double> SecondsOf(double operations, int64_t bytes);

 private:
  explicit Roofline(target::Target target) : target_(std::move(target)) {}

  const target::Target target_;
  double rate_ = 0;
  std::map<int64_t, double> seconds_;  // of a map over so many bytes
};

}  // namespace lathe::cli
