// For tests: devices, which are worker processes of a server in this process.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "runtime/rpc/connect.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "tune/runner.h"

namespace lathe::tune {

class TestDevices {
 public:
  // `worker`: its program. As many sessions at once as there are devices.
  explicit TestDevices(std::string worker, size_t devices = 1)
      : worker_(std::move(worker)), devices_(devices) {
    Start();
  }
  // Ends all sessions; the same port afterwards.
  void Restart() {
    port_ = server_->port();
    server_.reset();
    Start();
  }
  // What a runner gets; outlived by this.
  Runner::OpenSession sessions() {
    return [this]() -> absl::StatusOr<Ref<runtime::Session>> {
      ++opened_;
      runtime::rpc::ConnectOptions options;
      options.port = server_->port();
      LATHE_ASSIGN_OR_RETURN(Ref<runtime::rpc::RemoteSession> session,
                             runtime::rpc::Connect(std::move(options)));
      return Ref<runtime::Session>(std::move(session));
    };
  }
  int opened() const { return opened_; }

 private:
  void Start() {
    runtime::rpc::ServerOptions options;
    options.port = port_;
    options.worker = {worker_};
    options.supervisor.machine = runtime::rpc::ThisMachine();
    options.supervisor.max_sessions = devices_;
    server_ = *runtime::rpc::Server::Start(std::move(options));
  }

  const std::string worker_;
  const size_t devices_;
  int port_ = 0;
  std::atomic<int> opened_ = 0;
  std::unique_ptr<runtime::rpc::Server> server_;
};

}  // namespace lathe::tune
