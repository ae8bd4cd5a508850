// Calls of the system that fail where they are told to, in the whole process.
//
// Seen are the calls of code that is linked into this program or opened by it; what the C library
// does inside of itself is not.
#pragma once

#include <cstdint>
#include <span>

namespace lathe::faults {

enum class Call { kOpen, kRead, kWrite, kSync, kRename, kMap, kThread };

struct CallKind {
  Call call;
  const char* name;             // as the system calls it
  std::span<const int> errors;  // what it may fail with
};
std::span<const CallKind> CallKinds();

// From now on call number `number` (from 1) of this kind fails with `error`; 0: they are counted.
void FailCall(Call call, uint64_t number, int error);
// Gives the number of those calls since.
uint64_t StopFailingCalls();
// Whether a call was failed.
bool ACallFailed();

}  // namespace lathe::faults
