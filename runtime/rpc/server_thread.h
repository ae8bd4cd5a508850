// The thread of a server, which can be asked to end from anywhere.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/file.h"
#include "base/thread.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {

class ServerThread {
 public:
  // `wake` is an eventfd that does not block.
  explicit ServerThread(FileHandle wake) : wake_(std::move(wake)) {}

  // Fails with `thread-refused`; `what` says for people what the thread is for. Owners call Stop
  // and Wait before what `run` uses is gone.
  template <class Run>
  absl::Status Start(std::string_view what, Run run) {
    LATHE_ASSIGN_OR_RETURN(thread_, StartThread(what, std::move(run)));
    return absl::OkStatus();
  }
  // Readable once the thread is to end.
  pollfd asked_to_end() const { return {wake_.get(), POLLIN, 0}; }
  // Any thread, also a signal handler.
  void Stop() {
    const uint64_t one = 1;
    const ssize_t ignored = Uninterrupted([&] { return write(wake_.get(), &one, sizeof(one)); });
    static_cast<void>(ignored);
  }
  void Wait() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  FileHandle wake_;
  Thread thread_;
};

}  // namespace lathe::runtime::rpc
