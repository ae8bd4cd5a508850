// A server's connection to its tracker, which lends the device.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/rpc/uplink.h"

namespace lathe::runtime::rpc {

class TrackerLink final : public Uplink {
 public:
  TrackerLink(Greeting greeting, Register device, double now)
      : Uplink(std::move(greeting), ProgramRole::kTracker, now), device_(std::move(device)) {}

  std::vector<uint64_t> TakeLeases() { return std::exchange(leases_, {}); }
  // The lease has ended.
  void Freed(uint64_t lease) {
    // Before it is registered, Register says so.
    if (device_.lease == lease) device_.lease = 0;
    if (registered()) Send(rpc::Freed{lease});
  }

 private:
  std::string First() const override { return EncodeFrame(device_); }
  absl::Status OnMessage(const Frame& frame) override {
    Lease lease;
    if (absl::Status status = DecodeFrame(frame, &lease); !status.ok()) return status;
    leases_.push_back(lease.lease);
    return absl::OkStatus();
  }

  Register device_;
  std::vector<uint64_t> leases_;
};

}  // namespace lathe::runtime::rpc
