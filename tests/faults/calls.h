// Makes chosen system calls fail, in the whole process.
//
// Covers calls from code that is linked into this program or opened by it, but not calls that the C
// library makes internally.
#pragma once

#include <cstdint>
#include <span>

namespace lathe::faults {

enum class Call { kOpen, kRead, kWrite, kSync, kRename, kMap, kThread };

struct CallKind {
  Call call;
  const char* name;             // the system's name for it
  std::span<const int> errors;  // errors that it may fail with
};
std::span<const CallKind> CallKinds();

// From now on, call number `number` (from 1) of this kind fails with `error`. If `number` is 0,
// calls are only counted.
void FailCall(Call call, uint64_t number, int error);
// Stops this. Returns the number of those calls since FailCall.
uint64_t StopFailingCalls();
// Whether a call has failed because of FailCall.
bool ACallFailed();

}  // namespace lathe::faults
