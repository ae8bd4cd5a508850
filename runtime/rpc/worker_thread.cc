#include "runtime/rpc/worker_thread.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/error_object.h"
#include "runtime/rpc/chain.h"
#include "runtime/rpc/machine.h"
#include "runtime/rpc/transport.h"
#include "runtime/rpc/worker.h"
#include "runtime/session/loopback_session.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

absl::Status CannotStart(std::string_view problem) {
  return MakeStatus(absl::StatusCode::kUnavailable, "rpc-worker",
                    {"a worker cannot be started in this process: ", problem});
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerThread>> WorkerThread::Start() {
  FileHandle ended(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!ended.is_open()) return CannotStart(std::strerror(errno));
  absl::StatusOr<Ref<LoopbackSession>> session = LoopbackSession::Open();
  if (!session.ok()) return CannotStart(session.status().message());
  return std::unique_ptr<WorkerThread>(new WorkerThread(*std::move(session), std::move(ended)));
}

WorkerThread::WorkerThread(Ref<Session> session, FileHandle ended)
    : session_(std::move(session)), ended_(std::move(ended)) {}

WorkerThread::~WorkerThread() {
  Kill();
  if (!thread_.joinable()) return;
  // A request that begins after Kill does not know of it.
  pollfd ended{ended_.get(), POLLIN, 0};
  for (WorkerEnd end; !Ended(&end); CancelAll()) poll(&ended, 1, 20);
  thread_.join();
}

void WorkerThread::Pass(FileHandle socket, uint64_t request, std::string_view key) {
  socket_ = FileHandle(fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
  if (!socket_.is_open()) return End(LinkLost(std::strerror(errno)));
  absl::StatusOr<Thread> started = StartThread(
      "a session", [this, passed = std::move(socket), request, key = std::string(key)]() mutable {
        absl::Status why;
        try {
          why = Serve(std::move(passed), request, key);
        } catch (...) {  // no memory
          why = StatusFromError(*ErrorFromCurrentException().get());
        }
        End(std::move(why));
      });
  if (started.ok()) {
    thread_ = *std::move(started);
  } else {
    end_.start = CannotStart(StatusText(started.status()));
    End(end_.start);
  }
}

absl::Status WorkerThread::Serve(FileHandle socket, uint64_t request, const std::string& key) {
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport,
                         OpenDataConnection(std::move(socket), key));
  auto service = std::make_unique<Service>(session_, std::move(transport), ConstructSession);
  Service& serving = *service;
  {
    const std::lock_guard lock(mutex_);
    service_ = std::move(service);
  }
  serving.Attached(request, ThisMachine());
  return serving.Run();
}

void WorkerThread::End(absl::Status why) {
  std::unique_ptr<Service> service;
  {
    const std::lock_guard lock(mutex_);
    service = std::move(service_);
  }
  service.reset();  // with all that the session had
  const std::lock_guard lock(mutex_);
  end_.code = why.ok() ? 0 : 1;
  end_.output = std::string(why.message());
  done_ = true;
  const uint64_t one = 1;
  const ssize_t ignored = Uninterrupted([&] { return write(ended_.get(), &one, sizeof(one)); });
  static_cast<void>(ignored);
}

void WorkerThread::CancelAll() {
  const std::lock_guard lock(mutex_);
  if (service_ != nullptr) service_->CancelAll();
}

void WorkerThread::Cancel(uint64_t request) {
  const std::lock_guard lock(mutex_);
  if (service_ != nullptr) service_->Cancel(request);
  cancelled_.push_back(request);
}

void WorkerThread::Kill() {
  killed_ = true;
  if (socket_.is_open()) shutdown(socket_.get(), SHUT_RDWR);
  CancelAll();
}

void WorkerThread::AddTo(std::vector<pollfd>& waited) const {
  waited.push_back({ended_.get(), POLLIN, 0});
}

size_t WorkerThread::Listen() {
  if (killed_) CancelAll();
  const std::lock_guard lock(mutex_);
  return std::erase_if(cancelled_, [this](uint64_t request) {
    return service_ == nullptr || !service_->Running(request);
  });
}

bool WorkerThread::Ended(WorkerEnd* end) {
  const std::lock_guard lock(mutex_);
  if (!done_ && (thread_.joinable() || !killed_)) return false;
  *end = end_;
  return true;
}

}  // namespace lathe::runtime::rpc
