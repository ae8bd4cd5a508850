// For tests: a session whose far side is another thread of this process, over a pair of sockets.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "runtime/rpc/remote_session.h"
#include "runtime/rpc/service.h"
#include "runtime/session/loopback_session.h"

namespace lathe::runtime::rpc {

// Owns the far side, which ends with the client's session.
class FarSide {
 public:
  // The far side serves `session`; by default a LoopbackSession, as a worker does.
  explicit FarSide(Ref<Session> session = nullptr) {
    if (!session) session = *LoopbackSession::Open();
    auto [near, far] = *NewSocketPair();
    near_ = std::move(near);
    service_ = std::make_unique<Service>(std::move(session), NewSocketTransport(std::move(far)));
    thread_ = std::thread([this] { end_ = service_->Run(); });
  }
  ~FarSide() { Join().IgnoreError(); }
  FarSide(const FarSide&) = delete;

  // Once.
  Ref<RemoteSession> Connect() {
    return *RemoteSession::Open("far side", NewSocketTransport(std::move(near_)),
                                std::make_unique<ThreadControl>(*this));
  }
  // Why the service ended. Call it when the client's session is closed.
  absl::Status Join() {
    if (thread_.joinable()) thread_.join();
    return end_;
  }
  FileHandle& near() { return near_; }
  Service& service() { return *service_; }

 private:
  struct ThreadControl final : Control {
    explicit ThreadControl(FarSide& side) : far(side) {}
    void Cancel(uint64_t request) override { far.service_->Cancel(request); }
    absl::Status WhyEnded(const absl::Status& link) override { return link; }
    void Close() override {}
    FarSide& far;
  };

  FileHandle near_;
  std::unique_ptr<Service> service_;
  absl::Status end_;
  std::thread thread_;
};

}  // namespace lathe::runtime::rpc
