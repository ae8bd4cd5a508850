#include "runtime/session/session.h"

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/device_api.h"
#include "runtime/registry.h"
#include "runtime/session/cache_flush.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

class ThisProcess final : public Session {
 public:
  enum class End { kWithProcess, kOfItsOwn };

  explicit ThisProcess(End end) : end_(end) { RegisterCacheFlush(); }
  ~ThisProcess() override { Session::Close(); }
  std::string_view name() const override { return "local"; }
  absl::StatusOr<DeviceAPI*> FindDeviceAPI(int32_t kind) override {
    LATHE_RETURN_IF_ERROR(CheckOpen());
    return GetDeviceAPI(kind);
  }
  void Close() override {
    if (end_ == End::kOfItsOwn) Session::Close();
  }

  absl::StatusOr<Module> LoadFile(const std::string& path) override {
    LATHE_RETURN_IF_ERROR(CheckOpen());
    return LoadModuleFile(path);
  }
  absl::StatusOr<Module> LoadBytes(std::string_view kind, std::string_view bytes) override {
    LATHE_RETURN_IF_ERROR(CheckOpen());
    return LoadModuleBytes(kind, bytes);
  }
  SessionFiles& files() override { return files_; }
  absl::StatusOr<Module> LoadUploaded(std::string_view name) override {
    LATHE_ASSIGN_OR_RETURN(const std::string path, files_.PathOf(name));
    return LoadFile(path);
  }
  absl::StatusOr<Module> LoadLinked(std::string_view name) override {
    LATHE_RETURN_IF_ERROR(CheckOpen());
    const std::string prefix = "module.static.";
    const Function found = FindGlobal(prefix + std::string(name));
    if (!found) {
      std::string names;
      for (const std::string& known : ListGlobalNames(prefix))
        names += (names.empty() ? "`" : ", `") + known.substr(prefix.size()) + "`";
      return MakeStatus(absl::StatusCode::kNotFound, "module-not-linked",
                        {"no module `", name, "` is linked into the session's program\nexpected: ",
                         names.empty() ? "one that it registered (lathe_register_artifact); there "
                                         "are none"
                                       : std::string_view(names),
                         "\nfound: `", name, "`\nhelp: upload the module instead"});
    }
    LATHE_ASSIGN_OR_RETURN(const Value made, found.TryCall());
    if (made.Is<Module>()) return made.As<Module>();
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "module-not-linked",
                      {"`", prefix, name, "` of the session's program gives no module"});
  }
  absl::StatusOr<Function> GetFunction(std::string_view name) override {
    LATHE_RETURN_IF_ERROR(CheckOpen());
    return FindOrLoadGlobal(name);
  }
  absl::StatusOr<TimerResult> Time(const Function& function, std::span<const Value> args,
                                   const Device& device, TimerOptions options,
                                   const Function& preprocess) override {
    LATHE_RETURN_IF_ERROR(CheckOpen());
    std::vector<lathe_value> values;
    for (const Value& arg : args) values.push_back(arg.c());
    if (preprocess) {
      options.preprocess = [&] {
        return preprocess.TryCallPacked(values.data(), static_cast<int32_t>(values.size()))
            .status();
      };
    }
    return TimeFunction(function, args, device, options);
  }

 private:
  void OnClose() override { files_.End(); }

  const End end_;
  FolderFiles files_{*this};
};

}  // namespace

absl::StatusOr<int32_t> Session::CountDevices(int32_t kind) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDeviceAPI(kind));
  return api->Count();
}

absl::StatusOr<Value> Session::DeviceAttribute(int32_t kind, int32_t id, std::string_view name) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(const DeviceRef devices, FindDevice(device(kind, id)));
  return devices->Attribute(id, name);
}

Ref<Session> LocalSession() {
  // Never destroyed: destructors of other threads may still use its devices.
  static Session* const session = Make<ThisProcess>(ThisProcess::End::kWithProcess).release();
  return Ref<Session>(session);
}

Ref<Session> OpenLocalSession() { return Make<ThisProcess>(ThisProcess::End::kOfItsOwn); }

absl::StatusOr<Ref<Session>> SessionOf(const Device& device) {
  if (!device.is_remote()) return LocalSession();
  LATHE_ASSIGN_OR_RETURN(const Ref<SessionBase> found, FindSession(device.session));
  auto* session = dynamic_cast<Session*>(found.get());
  LATHE_CHECK(session != nullptr) << "session " << device.session << " has devices only";
  return Ref<Session>(session);
}

std::string Describe(const SessionBase& session) {
  return "session " + std::to_string(session.id().number) + " (" + std::string(session.name()) +
         ")";
}

absl::Status CannotCross(const Session& session, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "session-argument",
                    {what, " cannot go to ", Describe(session),
                     "\nexpected: a number, text, bytes, an element type, a list of these, a "
                     "function, or a device, tensor or module of that session\nhelp: copy tensors "
                     "to a device of the session"});
}

}  // namespace lathe::runtime
