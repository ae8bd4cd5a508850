// Ownership, threads, and the end of processes.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tools/plugin_test/session.h"

extern "C" void __lsan_disable() __attribute__((weak));

namespace lathe::kit {
namespace {

absl::Status CountersReturn(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  for (int i = 0; i < 3; ++i) KIT_RETURN_IF_ERROR(RunSession(*library, input));
  KIT_RETURN_IF_ERROR(library->Shutdown());
  const HostCounters left = CurrentCounters();
  KIT_RETURN_IF_ERROR(Require(left.wrong_frees == 0, "memory was given back that was not lent so"));
  KIT_RETURN_IF_ERROR(
      Require(left.pieces == 0, std::to_string(left.bytes) + " bytes of the host's memory in " +
                                    std::to_string(left.pieces) + " pieces after shutdown"));
  return Require(left.objects == 0, std::to_string(left.objects) + " objects alive after shutdown");
}

// Later sessions must not take more than the first one: memory and objects must not grow.
absl::Status NothingGrows(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  KIT_RETURN_IF_ERROR(RunSession(*library, input));
  const HostCounters first = CurrentCounters();
  for (int i = 0; i < 5; ++i) KIT_RETURN_IF_ERROR(RunSession(*library, input));
  const HostCounters later = CurrentCounters();
  KIT_RETURN_IF_ERROR(Require(later.objects == first.objects, "objects pile up from use to use"));
  return Require(later.pieces <= first.pieces, "memory piles up from use to use");
}

// Each of a few threads does the step several times.
absl::Status RepeatedOnThreads(const std::function<absl::Status()>& step) {
  return OnThreads([&]() -> absl::Status {
    for (int i = 0; i < 4; ++i) KIT_RETURN_IF_ERROR(step());
    return absl::OkStatus();
  });
}

absl::Status ThreadsUseEverything(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  KIT_RETURN_IF_ERROR(RepeatedOnThreads([&] { return RunSession(*library, input); }));
  return library->Shutdown();
}

absl::Status ThreadsCompileTheSame(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  if (library->codegen() == nullptr) return NotApplicable("it compiles nothing");
  std::string expected, kind;
  KIT_RETURN_IF_ERROR(CompileOnce(*library, input, &expected, &kind));
  return RepeatedOnThreads([&]() -> absl::Status {
    std::string bytes, own_kind;
    KIT_RETURN_IF_ERROR(CompileOnce(*library, input, &bytes, &own_kind));
    return Require(bytes == expected, "equal requests gave different bytes on two threads");
  });
}

// Runs `body` in a child process, which then ends as programs do, with static destructors.
absl::Status EndsWell(const std::function<absl::Status()>& body) {
  const pid_t child = fork();
  if (child < 0) return Failed("no process could be made");
  if (child == 0) exit(body().ok() ? 0 : 77);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  if (WIFSIGNALED(status))
    return Failed("the process ended by signal " + std::to_string(WTERMSIG(status)));
  KIT_RETURN_IF_ERROR(Require(WEXITSTATUS(status) != 77, "the work before the end failed"));
  return Require(WEXITSTATUS(status) == 0,
                 "the process ended with code " + std::to_string(WEXITSTATUS(status)));
}

absl::Status ExitWithoutShutdown(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  return EndsWell([&]() -> absl::Status {
    absl::StatusOr<Library> library = Library::Open(subject);
    return library.ok() ? RunSession(*library, input) : library.status();
  });
}

absl::Status ExitAfterShutdown(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  return EndsWell([&]() -> absl::Status {
    absl::StatusOr<Library> library = Library::Open(subject);
    if (!library.ok()) return library.status();
    KIT_RETURN_IF_ERROR(RunSession(*library, input));
    return library->Shutdown();
  });
}

// The process ends while a module and device memory are alive.
absl::Status ExitWithThingsAlive(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  return EndsWell([&]() -> absl::Status {
    // Objects that stay alive are no leak here. Tells the leak sanitizer so, if there is one.
    if (__lsan_disable != nullptr) __lsan_disable();
    absl::StatusOr<Library> library = Library::Open(subject);
    if (!library.ok()) return library.status();
    std::string bytes, kind;
    KIT_RETURN_IF_ERROR(CompileOnce(*library, input, &bytes, &kind));
    const auto* api = kind.empty()
                          ? nullptr
                          : static_cast<const lathe_module_api*>(library->plugin().get_interface(
                                LATHE_MODULE_INTERFACE, kind.c_str()));
    if (api != nullptr) {
      const lathe_bytes view = {bytes.data(), bytes.size()};
      void* module = nullptr;
      lathe_value error{}, function{};
      if (api->load(api->self, &view, &module, &error) != 0) return Failed(TakeError(&error));
      if (api->get_function(module, "f_kernel0", &function) != 0)
        return Failed(TakeError(&function));
    }
    const lathe_device_api* device = library->device();
    int32_t count = 0;
    lathe_value error{};
    if (device != nullptr && device->count(device->self, &count, &error) == 0 && count > 0) {
      const lathe_alloc_request request = {sizeof(request), "global", 64,     64,
                                           {kDLUInt, 8, 1}, 0,        nullptr};
      void* data = nullptr;
      if (device->alloc(device->self, 0, &request, &data, &error) != 0)
        return Failed(TakeError(&error));
    }
    return absl::OkStatus();
  });
}

// Objects may outlive the plugin's shutdown. After it, they may only be dropped.
absl::Status DropAfterShutdown(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  std::string bytes, kind;
  KIT_RETURN_IF_ERROR(CompileOnce(*library, input, &bytes, &kind));
  const auto* api = kind.empty()
                        ? nullptr
                        : static_cast<const lathe_module_api*>(library->plugin().get_interface(
                              LATHE_MODULE_INTERFACE, kind.c_str()));
  if (api == nullptr) return NotApplicable("it has no modules of what it compiles");
  const lathe_bytes view = {bytes.data(), bytes.size()};
  void* module = nullptr;
  lathe_value error{}, function{};
  if (api->load(api->self, &view, &module, &error) != 0) return Failed(TakeError(&error));
  if (api->get_function(module, "f_kernel0", &function) != 0) return Failed(TakeError(&function));
  KIT_RETURN_IF_ERROR(library->Shutdown());
  api->drop(module);
  Drop(&function);
  return library->Shutdown();
}

}  // namespace

void AddLifetimeChecks(const Subject&, Checks* checks) {
  checks->push_back({"ownership", "counters-return-to-zero", CountersReturn});
  checks->push_back({"ownership", "nothing-grows", NothingGrows});
  checks->push_back({"ownership", "drop-after-shutdown", DropAfterShutdown});
  checks->push_back({"threads", "use-everything", ThreadsUseEverything});
  checks->push_back({"threads", "compile-the-same", ThreadsCompileTheSame});
  checks->push_back({"exit", "without-shutdown", ExitWithoutShutdown});
  checks->push_back({"exit", "after-shutdown", ExitAfterShutdown});
  checks->push_back({"exit", "with-things-alive", ExitWithThingsAlive});
}

}  // namespace lathe::kit
