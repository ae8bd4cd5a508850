// Session: the interface to a process that holds tensors and runs code, which may be this process
// or another one.
//
// Session 0 is this process. Code written against this interface works with any session. A module,
// its functions and its tensors belong to the session from which they came, and code of one session
// refuses tensors of another. Files belong to the session to which they were uploaded. This library
// is separate from the core runtime, because a board needs the core alone.
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
#include "runtime/session/session_files.h"
#include "runtime/session_table.h"
#include "runtime/timer.h"
#include "runtime/value.h"

namespace lathe::runtime {

// Methods are thread-safe; after Close they fail with `session-closed`.
class Session : public SessionBase {
 public:
  // Loads a file of the session's machine, like runtime::LoadModuleFile. The names differ so that
  // neither hides the other.
  virtual absl::StatusOr<Module> LoadFile(const std::string& path) = 0;
  // Loads the saved bytes of one module, like runtime::LoadModuleBytes.
  virtual absl::StatusOr<Module> LoadBytes(std::string_view kind, std::string_view bytes) = 0;
  // What was uploaded to the session. Other sessions do not see it; it goes when the session ends.
  virtual SessionFiles& files() = 0;
  // Loads one of these files by its name, like LoadFile. The module stays when the file is removed.
  virtual absl::StatusOr<Module> LoadUploaded(std::string_view name) = 0;
  // The module of an artefact that is linked into the session's program, by the name under which
  // the program registered it (artifact/static_artifact.h). Fails with `module-not-linked`.
  virtual absl::StatusOr<Module> LoadLinked(std::string_view name) = 0;
  // Looks up the session's registry. Fails with `registry-not-found`.
  virtual absl::StatusOr<Function> GetFunction(std::string_view name) = 0;
  // Times a function of the session, like runtime::TimeFunction, by a clock on the session's side.
  // `preprocess`, unless it is null, is called with the arguments before each sample; the one in
  // the options must be empty.
  virtual absl::StatusOr<TimerResult> Time(const Function& function, std::span<const Value> args,
                                           const Device& device, TimerOptions options,
                                           const Function& preprocess) = 0;

  // The device in the form that values in this process have.
  Device device(int32_t kind, int32_t id = 0) const { return {kind, id, this->id().number}; }
  // The number of devices of a kind in the session; fails if nothing provides the kind.
  absl::StatusOr<int32_t> CountDevices(int32_t kind);
  // An attribute of a device; DeviceAPI::Attribute lists the names.
  absl::StatusOr<Value> DeviceAttribute(int32_t kind, int32_t id, std::string_view name);
};

// Session 0. Its Close() does nothing; its files go when the process exits.
Ref<Session> LocalSession();
// Session 0 too, with files of its own and an end of its own: they go when it is closed or dropped.
// Its devices, tensors and modules are the process's, and stay.
Ref<Session> OpenLocalSession();
// The session of a device. Fails with `session-closed`.
absl::StatusOr<Ref<Session>> SessionOf(const Device& device);
// For messages: "session 1 (loopback)".
std::string Describe(const SessionBase& session);
// `session-argument`: the value that `what` describes cannot be an argument there.
absl::Status CannotCross(const Session& session, std::string_view what);

}  // namespace lathe::runtime
