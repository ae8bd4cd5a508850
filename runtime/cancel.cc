#include "runtime/cancel.h"

#include <time.h>

#include "runtime/error_object.h"
#include "runtime/raise.h"

namespace lathe::runtime {
namespace {

constexpr int64_t kPollMilliseconds = 50;

}  // namespace

int64_t CoarseNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void Cancellation::SetDeadline(std::chrono::steady_clock::time_point deadline) {
  deadline_.store(
      std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count(),
      std::memory_order_relaxed);
  why_.fetch_or(kDeadline, std::memory_order_release);
}

ErrorRef Cancellation::Late() const {
  return MakeErrorObject(LATHE_DEADLINE_EXCEEDED, "deadline-exceeded",
                         "the call was not done by its deadline",
                         "what it had written by then stays written");
}

void CancelScope::LookOrThrow() {
  if (Look(current_) == 0) return;
  const ErrorRef error = TakePendingError();
  try {
    ThrowError(*error.get());
  } catch (const CallError& said) {
    throw Interrupted(said);
  }
}

int32_t CancelScope::LookCloser() {
  const uint32_t why = why_->load(std::memory_order_acquire);
  if ((why & Cancellation::kCancelled) != 0) {
    return RaiseError(MakeErrorObject(LATHE_CANCELLED, "cancelled", "the call was cancelled",
                                      "what it had written by then stays written"));
  }
  if ((why & Cancellation::kDeadline) != 0 &&
      CoarseNanoseconds() >= cancellation_->deadline_.load(std::memory_order_relaxed)) {
    return RaiseError(cancellation_->Late());
  }
  // Whoever polls does so on its own thread.
  if ((why & Cancellation::kPoll) == 0 || thread_ != &current_) return 0;
  const int64_t now = CoarseNanoseconds() / 1'000'000;
  if (polled_ == 0) polled_ = now;
  if (now - polled_ < kPollMilliseconds) return 0;
  polled_ = now;
  return poll_();
}

}  // namespace lathe::runtime
