// A server's connection to its proxy, which brings visitors: clients that want to be connected.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/rpc/uplink.h"

namespace lathe::runtime::rpc {

class ProxyLink final : public Uplink {
 public:
  ProxyLink(Greeting greeting, Offer device, double now)
      : Uplink(std::move(greeting), ProgramRole::kProxy, now), device_(std::move(device)) {}

  std::vector<Visitor> TakeVisitors() { return std::exchange(visitors_, {}); }

 private:
  std::string First() const override { return EncodeFrame(device_); }
  absl::Status OnMessage(const Frame& frame) override {
    Visitor visitor;
    if (absl::Status status = DecodeFrame(frame, &visitor); !status.ok()) return status;
    visitors_.push_back(std::move(visitor));
    return absl::OkStatus();
  }

  Offer device_;
  std::vector<Visitor> visitors_;
};

}  // namespace lathe::runtime::rpc
