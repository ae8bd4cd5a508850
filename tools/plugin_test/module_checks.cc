// Compiled modules: saved, loaded in a new process with only the runtime, and damaged.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "driver/compile.h"
#include "driver/lower_device.h"
#include "runtime/init.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

using runtime::Module;

absl::StatusOr<Module> Build(const Subject& subject, target::Target* target) {
  UsePlugin(subject);
  *target = target::ParseTarget(TargetName(subject));
  const absl::StatusOr<runtime::Device> device = DeviceOf(*target);
  if (!device.ok()) return device.status();
  return BuildProgram(*target, ScaleProgram(subject));
}

// The module of the plugin's own kind: the program's module, or one that it imports.
Module OwnModule(const Subject& subject, const Module& module) {
  for (const auto& kind : subject.manifest.modules) {
    if (module->kind() == kind.kind) return module;
    for (const Module& import : module->imports())
      if (import->kind() == kind.kind) return import;
  }
  return nullptr;
}

absl::StatusOr<Module> BuildOwn(const Subject& subject) {
  target::Target target;
  absl::StatusOr<Module> module = Build(subject, &target);
  if (!module.ok()) return module.status();
  const Module own = OwnModule(subject, *module);
  if (own.get() == nullptr) return NotApplicable("others load what it compiles");
  return own;
}

absl::Status SavedAndLoaded(const Subject& subject) {
  target::Target target;
  const absl::StatusOr<Module> module = Build(subject, &target);
  if (!module.ok()) return module.status();
  const auto bytes = module->Serialize();
  if (!bytes.ok()) return bytes.status();
  const auto again = Module::Deserialize(*bytes);
  if (!again.ok()) return again.status();
  const Program program = ScaleProgram(subject);
  KIT_RETURN_IF_ERROR(RunAndCompare(target, *again, program, {100}, 1));
  const auto saved_again = again->Serialize();
  if (!saved_again.ok()) return saved_again.status();
  return Require(*saved_again == *bytes, "saved again, it has other bytes");
}

absl::Status NewProcess(const Subject& subject) {
  target::Target target;
  const absl::StatusOr<Module> module = Build(subject, &target);
  if (!module.ok()) return module.status();
  const auto bytes = module->Serialize();
  if (!bytes.ok()) return bytes.status();
  const std::string file = subject.folder + "/saved-" + std::to_string(getpid());
  std::ofstream(file, std::ios::binary) << target.schema->device << '\n' << *bytes;
  const pid_t child = fork();
  if (child == 0) {
    execl(subject.program.c_str(), subject.program.c_str(), "--run-saved", file.c_str(), nullptr);
    _exit(126);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  std::remove(file.c_str());
  if (WIFSIGNALED(status))
    return Failed("the new process ended by signal " + std::to_string(WTERMSIG(status)));
  return Require(WEXITSTATUS(status) == 0, "the new process could not load and run it (exit code " +
                                               std::to_string(WEXITSTATUS(status)) + ")");
}

absl::Status FunctionOutlivesModule(const Subject& subject) {
  target::Target target;
  absl::StatusOr<Module> module = Build(subject, &target);
  if (!module.ok()) return module.status();
  const auto function = module->GetFunction("f");
  if (!function.ok()) return function.status();
  *module = Module();
  // A call without arguments must be refused, so the code must still be in memory.
  return Require(!function->TryCall().ok(), "a call without arguments succeeded");
}

absl::Status WrongCalls(const Subject& subject) {
  target::Target target;
  const absl::StatusOr<Module> module = Build(subject, &target);
  if (!module.ok()) return module.status();
  const auto f = module->GetFunction("f");
  if (!f.ok()) return f.status();
  const auto device = DeviceOf(target);
  const auto three = runtime::Tensor::Empty({3}, DataType::Float(32), *device),
             four = runtime::Tensor::Empty({4}, DataType::Float(32), *device),
             ints = runtime::Tensor::Empty({3}, DataType::Int(32), *device);
  if (!three.ok() || !four.ok() || !ints.ok()) return Failed("no memory");
  KIT_RETURN_IF_ERROR(Require(!f->TryCall(*three).ok(), "too few arguments were taken"));
  KIT_RETURN_IF_ERROR(Require(!f->TryCall(*three, *four).ok(), "extents that disagree were taken"));
  KIT_RETURN_IF_ERROR(
      Require(!f->TryCall(*three, *ints).ok(), "a tensor of integers was taken for floats"));
  KIT_RETURN_IF_ERROR(Require(!f->TryCall(*three, 7).ok(), "a number was taken for a tensor"));
  if (target.schema->device == "cpu") return absl::OkStatus();
  const auto host = runtime::Tensor::Empty({3}, DataType::Float(32));
  return Require(!f->TryCall(*three, *host).ok(),
                 "a tensor in host memory was taken for the device's");
}

absl::Status Describes(const Subject& subject) {
  const absl::StatusOr<Module> own = BuildOwn(subject);
  if (!own.ok()) return own.status();
  const runtime::Metadata& metadata = (*own)->metadata();
  if (metadata.functions.empty()) return NotApplicable("the module says nothing of itself");
  for (const runtime::FunctionMetadata& function : metadata.functions)
    KIT_RETURN_IF_ERROR(Require(bool((*own)->GetFunction(function.name)),
                                "it describes `" + function.name + "`, which it does not have"));
  return absl::OkStatus();
}

absl::Status UnknownFunction(const Subject& subject) {
  const absl::StatusOr<Module> own = BuildOwn(subject);
  if (!own.ok()) return own.status();
  return Require(!(*own)->GetFunction("function of nobody"), "it has a function of any name");
}

// Loads damaged bytes. This must give an error, or a module that can be dropped.
absl::Status Damaged(const Subject& subject,
                     const std::function<std::string(std::string, uint64_t)>& damage) {
  const absl::StatusOr<Module> own = BuildOwn(subject);
  if (!own.ok()) return own.status();
  const auto bytes = (*own)->Save();
  if (!bytes.ok()) return bytes.status();
  const std::string kind((*own)->kind());
  uint64_t state = 88172645463325252ull;
  for (int i = 0; i < 200; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const auto loaded = runtime::LoadModuleBytes(kind, damage(*bytes, state));
    if (loaded.ok()) (void)(*loaded)->FunctionNames();
  }
  return absl::OkStatus();
}
absl::Status Flipped(const Subject& subject) {
  return Damaged(subject, [](std::string bytes, uint64_t random) {
    bytes[random % bytes.size()] = static_cast<char>(random >> 40);
    return bytes;
  });
}
absl::Status CutOff(const Subject& subject) {
  return Damaged(subject, [](std::string bytes, uint64_t random) {
    return bytes.substr(0, random % bytes.size());
  });
}

absl::Status LoadedMany(const Subject& subject) {
  target::Target target;
  const absl::StatusOr<Module> module = Build(subject, &target);
  if (!module.ok()) return module.status();
  const auto bytes = module->Serialize();
  if (!bytes.ok()) return bytes.status();
  std::vector<Module> all;
  for (int i = 0; i < 20; ++i) {
    const auto loaded = Module::Deserialize(*bytes);
    if (!loaded.ok()) return loaded.status();
    all.push_back(*loaded);
  }
  const Program program = ScaleProgram(subject);
  for (const Module& one : {all.front(), all.back()})
    KIT_RETURN_IF_ERROR(RunAndCompare(target, one, program, {33}, 2));
  return absl::OkStatus();
}

}  // namespace

// Runs in a process that has compiled nothing. The file's first line is the kind of device.
int RunSavedModule(const std::string& path) {
  runtime::Initialize();
  std::ifstream file(path, std::ios::binary);
  std::string kind;
  std::getline(file, kind);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto fail = [](const absl::Status& status) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  };
  const auto module = Module::Deserialize(bytes);
  if (!module.ok()) return fail(module.status());
  const runtime::Device device = runtime::Device::Parse(kind);
  std::vector<float> values(50, 3.0f);
  const int64_t shape[] = {50};
  const auto a = runtime::Tensor::FromHost(values.data(), 200, shape, DataType::Float(32), device),
             b = runtime::Tensor::FromHost(values.data(), 200, shape, DataType::Float(32), device);
  if (!a.ok()) return fail(a.status());
  if (!b.ok()) return fail(b.status());
  const auto function = module->GetFunction("f");
  if (!function.ok()) return fail(function.status());
  const auto called = function->TryCall(*a, *b);
  if (!called.ok()) return fail(called.status());
  if (const absl::Status copied = b->CopyToHost(values.data(), 200); !copied.ok())
    return fail(copied);
  for (float value : values)
    if (value != 7.0f) return 3;
  return 0;
}

void AddModuleChecks(const Subject& subject, Checks* checks) {
  if (subject.targets.empty()) return;
  checks->push_back({"module", "saved-and-loaded", SavedAndLoaded});
  checks->push_back({"module", "new-process", NewProcess});
  checks->push_back({"module", "function-outlives-module", FunctionOutlivesModule});
  checks->push_back({"module", "wrong-calls", WrongCalls});
  checks->push_back({"module", "describes-itself", Describes});
  checks->push_back({"module", "unknown-function", UnknownFunction});
  checks->push_back({"module", "bytes-flipped", Flipped});
  checks->push_back({"module", "bytes-cut-off", CutOff});
  checks->push_back({"module", "loaded-many-times", LoadedMany});
}

}  // namespace lathe::kit
