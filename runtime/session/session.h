// Session: what one can ask of a process that holds tensors and runs code, be it this one or
// another.
//
// Session 0 is this process. Whoever writes to this interface does not care which session it is: a
// module, its functions and its tensors are of the session that they came from, and code of one
// session refuses tensors of another. The library is apart from the core runtime, which a board
// needs without it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/object.h"
#include "runtime/device.h"
#include "runtime/function.h"
#include "runtime/module.h"
#include "runtime/session_table.h"
#include "runtime/timer.h"
#include "runtime/value.h"

namespace lathe::runtime {

// Methods are thread-safe and fail with `session-closed` once it is closed.
class Session : public SessionBase {
 public:
  // A file of the session's machine, as runtime::LoadModuleFile. The name is not that one, so that
  // none hides the other.
  virtual absl::StatusOr<Module> LoadFile(const std::string& path) = 0;
  // Saved bytes of one module, as runtime::LoadModuleBytes.
  virtual absl::StatusOr<Module> LoadBytes(std::string_view kind, std::string_view bytes) = 0;
  // Of the session's registry. Fails with `registry-not-found`.
  virtual absl::StatusOr<Function> GetFunction(std::string_view name) = 0;
  // Runs a function of the session for its time, as runtime::TimeFunction: the clock is the one at
  // its end. `preprocess` is called with the arguments before each sample, where it is not null;
  // that of the options stays empty.
  virtual absl::StatusOr<TimerResult> Time(const Function& function, std::span<const Value> args,
                                           const Device& device, TimerOptions options,
                                           const Function& preprocess) = 0;

  // As values here have it.
  Device device(int32_t kind, int32_t id = 0) const { return {kind, id, this->id().number}; }
  // How many devices of a kind the session has; fails where nothing provides the kind.
  absl::StatusOr<int32_t> CountDevices(int32_t kind);
  // What one says of itself: DeviceAPI::Attribute lists the names.
  absl::StatusOr<Value> DeviceAttribute(int32_t kind, int32_t id, std::string_view name);
};

// Session 0. Close() does nothing to it.
Ref<Session> LocalSession();
// The session that a device is of. Fails with `session-closed`.
absl::StatusOr<Ref<Session>> SessionOf(const Device& device);

}  // namespace lathe::runtime
