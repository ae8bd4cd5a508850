#include "runtime/rpc/channel.h"

#include <utility>

#include "runtime/status.h"

namespace lathe::runtime::rpc {

void Channel::Feed(std::string_view bytes) {
  if (tls_) {
    tls_->Feed(bytes);
  } else {
    reader_.Feed(bytes);
  }
}

absl::StatusOr<std::optional<Frame>> Channel::Next() {
  for (;;) {
    absl::StatusOr<std::optional<Frame>> frame = reader_.Next();
    if (!frame.ok() || frame->has_value() || !tls_) return frame;
    const size_t before = reader_.waiting();
    LATHE_RETURN_IF_ERROR(Unlock());
    if (tls_ && reader_.waiting() == before) return std::nullopt;
  }
}

// Moves what has arrived under TLS to the reader.
absl::Status Channel::Unlock() {
  char bytes[4096];
  absl::StatusOr<size_t> got = tls_->Read(bytes, sizeof(bytes));
  output_ += tls_->TakeOutput();
  LATHE_RETURN_IF_ERROR(got.status());
  reader_.Feed({bytes, *got});
  if (tls_->ready() && !waiting_.empty()) Write({});
  if (*got > 0 || !tls_->ended()) return absl::OkStatus();
  if (!may_end_ || reader_.waiting() > 0)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-tls",
                      "the other side ended the protection of a connection that is in use");
  reader_.Feed(tls_->TakeRest());
  tls_.reset();
  return absl::OkStatus();
}

void Channel::Write(std::string_view frames) {
  if (!tls_) {
    output_.append(frames);
    return;
  }
  waiting_.append(frames);
  if (!tls_->ready()) return;
  // An error comes back when somebody reads; nothing is sent without its lock.
  tls_->Write(std::exchange(waiting_, {})).IgnoreError();
  output_ += tls_->TakeOutput();
}

std::string Channel::TakeOutput() { return std::exchange(output_, {}); }

void Channel::Protect(TlsSide side, const Secret& key) {
  tls_ = std::make_unique<Tls>(side, key);
  tls_->Feed(reader_.TakeRest());
  output_ += tls_->TakeOutput();
}

void Channel::Unprotect() {
  if (!tls_) return;
  tls_->End();
  output_ += tls_->TakeOutput();
  std::string rest = reader_.TakeRest() + tls_->TakeRest();
  tls_.reset();
  reader_.Feed(rest);
}

}  // namespace lathe::runtime::rpc
