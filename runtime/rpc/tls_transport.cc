#include "runtime/rpc/tls_transport.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kAlertAttempts = 16;

constexpr size_t kReadBytes = size_t{64} << 10;
// Under the lock at a time, so that the other thread has its turn.
constexpr size_t kWriteBytes = size_t{64} << 10;

// One thread may receive while another one sends. Only waiting for bytes is outside the mutex:
// reading answers at once then, and writing never waits.
class TlsTransport final : public Transport {
 public:
  TlsTransport(std::unique_ptr<Transport> inner, TlsSide side, const Secret& key)
      : inner_(std::move(inner)), tls_(side, key), wire_(kReadBytes) {}

  absl::Status Greet(const std::function<absl::Status()>& go_on) {
    for (;;) {
      const absl::StatusOr<size_t> read = tls_.Read(nullptr, 0);
      // Also an error is told.
      std::string output = tls_.TakeOutput();
      for (size_t at = 0; at < output.size();) {
        const iovec piece{output.data() + at, output.size() - at};
        LATHE_ASSIGN_OR_RETURN(const size_t sent, inner_->Send({&piece, 1}));
        if (sent == 0) inner_->WaitToSend(false);
        at += sent;
        LATHE_RETURN_IF_ERROR(go_on());
      }
      LATHE_RETURN_IF_ERROR(read.status());
      if (tls_.ready()) return absl::OkStatus();
      LATHE_ASSIGN_OR_RETURN(const size_t got, inner_->Receive(wire_.data(), wire_.size()));
      tls_.Feed({wire_.data(), got});
      LATHE_RETURN_IF_ERROR(go_on());
    }
  }

  absl::StatusOr<size_t> Receive(char* out, size_t size) override {
    LATHE_ASSIGN_OR_RETURN(size_t got, Unlock(out, size));
    if (got > 0) return got;
    LATHE_ASSIGN_OR_RETURN(got, inner_->Receive(wire_.data(), wire_.size()));
    if (got == 0) return got;
    {
      const std::lock_guard lock(mutex_);
      tls_.Feed({wire_.data(), got});
    }
    return Unlock(out, size);
  }

  absl::StatusOr<size_t> Send(std::span<const iovec> pieces) override {
    size_t taken = 0;
    for (size_t skip = 0; !pieces.empty();) {
      const std::lock_guard lock(mutex_);
      if (locked_ == 0) {
        const size_t size = std::min(pieces.front().iov_len - skip, kWriteBytes);
        LATHE_RETURN_IF_ERROR(
            tls_.Write({static_cast<const char*>(pieces.front().iov_base) + skip, size}));
        output_ = tls_.TakeOutput();
        sent_ = 0;
        locked_ = size;
      }
      LATHE_RETURN_IF_ERROR(Flush());
      if (sent_ < output_.size()) break;
      // What was put under the lock by an earlier call begins where this one does.
      taken += locked_;
      skip += std::exchange(locked_, 0);
      while (!pieces.empty() && skip >= pieces.front().iov_len) {
        skip -= pieces.front().iov_len;
        pieces = pieces.subspan(1);
      }
    }
    return taken;
  }

  void WaitToSend(bool or_received) override {
    if (or_received) {
      const std::lock_guard lock(mutex_);
      if (tls_.waiting()) return;
    }
    inner_->WaitToSend(or_received);
  }
  bool Receivable() override {
    {
      const std::lock_guard lock(mutex_);
      if (tls_.waiting()) return true;
    }
    return inner_->Receivable();
  }
  void Shutdown() override { inner_->Shutdown(); }

 private:
  absl::StatusOr<size_t> Unlock(char* out, size_t size) {
    const std::lock_guard lock(mutex_);
    absl::StatusOr<size_t> got = tls_.Read(out, size);
    if (got.ok() && *got == 0 && tls_.ended())
      return LinkLost("the other side closed the connection");
    if (!got.ok() && locked_ == 0) {
      // The other side should know. If it cannot take a few bytes now, it hears of the end anyway.
      std::string output = tls_.TakeOutput();
      // Sending may be interrupted, or end after a part.
      for (int attempt = 0; !output.empty() && attempt < kAlertAttempts; ++attempt) {
        const iovec piece{output.data(), output.size()};
        const absl::StatusOr<size_t> sent = inner_->Send({&piece, 1});
        if (!sent.ok()) break;
        output.erase(0, *sent);
      }
    }
    return got;
  }

  // Sends what the system takes of `output_`.
  absl::Status Flush() {
    while (sent_ < output_.size()) {
      const iovec piece{output_.data() + sent_, output_.size() - sent_};
      LATHE_ASSIGN_OR_RETURN(const size_t sent, inner_->Send({&piece, 1}));
      if (sent == 0) break;
      sent_ += sent;
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<Transport> inner_;
  std::mutex mutex_;  // what follows
  Tls tls_;
  std::string output_;  // of the last Write
  size_t sent_ = 0;     // of `output_`
  size_t locked_ = 0;   // bytes that are in `output_`, which the caller has not been told of
  // Of the thread that receives.
  std::vector<char> wire_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> NewTlsTransport(
    std::unique_ptr<Transport> inner, TlsSide side, const Secret& key,
    const std::function<absl::Status()>& go_on) {
  auto made = std::make_unique<TlsTransport>(std::move(inner), side, key);
  LATHE_RETURN_IF_ERROR(made->Greet(go_on));
  return made;
}

}  // namespace lathe::runtime::rpc
