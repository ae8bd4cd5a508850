// A server's connection to its tracker, as a state machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/rpc/greeting.h"

namespace lathe::runtime::rpc {

// Not thread-safe. Times are seconds of any clock that does not go back.
class TrackerLink {
 public:
  TrackerLink(Greeting greeting, Register device, double now);

  void OnBytes(std::string_view bytes, double now);
  // Call it at least once a second.
  void OnTick(double now);
  // The lease has ended.
  void Freed(uint64_t lease);

  std::string TakeOutput() { return std::exchange(output_, {}); }
  std::vector<uint64_t> TakeLeases() { return std::exchange(leases_, {}); }
  // Why the connection is of no use any more; OK as long as it is.
  const absl::Status& end() const { return end_; }

 private:
  absl::Status OnFrame(const Frame& frame);

  Greeting greeting_;
  Register device_;
  FrameReader reader_{kMostControlBytes};
  bool registered_ = false;
  double heard_, beat_;
  uint64_t beats_ = 0;
  std::string output_;
  std::vector<uint64_t> leases_;
  absl::Status end_;
};

}  // namespace lathe::runtime::rpc
