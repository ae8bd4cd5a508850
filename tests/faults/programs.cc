#include "tests/faults/programs.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"
#include "driver/build_module.h"
#include "driver/compile.h"
#include "driver/lower_device.h"
#include "ir/binary.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/error_object.h"
#include "runtime/module.h"
#include "runtime/thread_pool.h"
#include "target/target.h"

namespace lathe::faults {
namespace {

constexpr const char* kHost = "llvm";
constexpr const char* kSuffixes[] = {".o", ".tar", ".so"};

ir::Module Loops(Kernel kernel, const std::string& name, const std::string& target) {
  const driver::ProgramToCompile program = Written(kernel, name, target);
  return driver::Lower(program.schedule, program.args, name, program.context);
}

runtime::Module Built(Kernel kernel, const std::string& name, const std::string& target) {
  auto module = driver::Build(Loops(kernel, name, target), target::ParseTarget(target), {});
  runtime::ThrowIfError(module.status());
  return *std::move(module);
}

// The bytes of the modules that code generators get.
std::string Lowered(Kernel kernel, const std::string& name) {
  const target::Target target = target::ParseTarget(name);
  const ir::Module loops = Loops(kernel, "f", name);
  if (!driver::TakesKernels(target))
    return ir::EncodeModule(driver::LowerForTarget(loops, target, {}));
  const driver::DeviceModules both =
      driver::LowerForDevice(loops, target, driver::HostOf(target), {});
  return ir::EncodeModule(both.host) + ir::EncodeModule(both.device);
}

// 0 if the kernels run on the host, whose free memory changes by itself.
uint64_t FreeDeviceBytes(const std::string& target) {
  if (!driver::TakesKernels(target::ParseTarget(target))) return 0;
  auto api = runtime::GetDeviceAPI(runtime::Device::Parse(target.substr(0, target.find(' '))).kind);
  runtime::ThrowIfError(api.status());
  const auto info = (*api)->GetMemoryInfo(0, "global");
  runtime::ThrowIfError(info.status());
  return info->free;
}

// Finds device memory that the first of two runs in one process kept.
class KeptMemory {
 public:
  explicit KeptMemory(std::string target) : target_(std::move(target)) {}

  // Call it at the beginning of each run. "" if nothing was kept.
  std::string Found() {
    const uint64_t free = FreeDeviceBytes(target_);
    if (process_ == getpid() && free != free_) return "device memory was not given back";
    process_ = getpid();
    free_ = free;
    return "";
  }

 private:
  const std::string target_;
  pid_t process_ = 0;  // children that fail allocations inherit what the parent found
  uint64_t free_ = 0;
};

// Returns "" if the two are equal.
std::string Compared(const std::string& found, const std::string& expected) {
  return found == expected ? "" : "another result than without failures";
}

// Makes a call that fails. The error itself needs memory.
std::string Refused(const runtime::Module& module) {
  try {
    module.GetFunction("f").value()(1);
  } catch (const Error& error) {
    if (error.name() == "out-of-memory") throw;
    return error.name() == "call-argument-count" ? "" : "found " + error.name();
  }
  return "a call with too few arguments went well";
}

}  // namespace

std::vector<Program> ProgramsOf(Kernel kernel, const std::string& folder,
                                const std::string& target) {
  std::vector<Program> programs;
  const auto add = [&](const char* what, std::function<std::string()> run) {
    programs.push_back({std::string(NameOf(kernel)) + ": " + what, std::move(run)});
  };
  const auto lower = [=] { return Lowered(kernel, target); };
  add("lower", [lower, bytes = lower()] { return Compared(lower(), bytes); });

  const runtime::Module module = Built(kernel, "f", target);
  const std::string answer = Computed(kernel, module, "f", target);
  add("build",
      [=] { return Compared(Computed(kernel, Built(kernel, "f", target), "f", target), answer); });
  add("run", [=, memory = std::make_shared<KeptMemory>(target)] {
    std::string wrong = memory->Found();
    if (wrong.empty()) wrong = Compared(Computed(kernel, module, "f", target), answer);
    return wrong.empty() ? Refused(module) : wrong;
  });

  const std::string file = folder + "/" + NameOf(kernel);
  for (const char* suffix : kSuffixes)
    runtime::ThrowIfError(driver::ExportLibrary(module, file + suffix));
  add("load", [=] {
    for (const char* suffix : kSuffixes) {
      auto loaded = runtime::LoadModuleFile(file + suffix);
      runtime::ThrowIfError(loaded.status());
      if (Computed(kernel, *loaded, "f", target) != answer)
        return std::string(suffix) + " is wrong";
    }
    return std::string();
  });

  const ir::Module loops = Loops(kernel, "f", target);
  const runtime::Module outer = Built(kernel, "outer", target);
  outer.Import(module);
  auto tree = outer.Serialize();
  runtime::ThrowIfError(tree.status());
  add("import", [=, text = ir::ToText(loops), binary = ir::EncodeModule(loops), tree = *tree] {
    if (ir::ToText(ir::ParseModule(text, "program")) != text)
      return std::string("the text differs");
    if (ir::EncodeModule(ir::DecodeModule(binary)) != binary)
      return std::string("the binary form differs");
    auto read = runtime::Module::Deserialize(tree);
    runtime::ThrowIfError(read.status());
    return Compared(Computed(kernel, *read, "f", target), answer);
  });

  add("export", [=] {
    for (const char* suffix : kSuffixes)
      runtime::ThrowIfError(driver::ExportLibrary(module, file + "-again" + suffix));
    return std::string();
  });
  add("find in the cache", [=] {
    driver::CompileCache cache({folder + "/cache"});
    auto built = driver::BuildProgram(Written(kernel, "f", target), &cache);
    runtime::ThrowIfError(built.status());
    return Compared(Computed(kernel, *built, "f", target), answer);
  });
  return programs;
}

std::vector<Program> ProgramsOfKernels(const std::string& folder, const std::string& target) {
  std::vector<Program> programs;
  for (const Kernel kernel : KernelsOf(target)) {
    for (Program& program : ProgramsOf(kernel, folder, target))
      programs.push_back(std::move(program));
  }
  return programs;
}

std::vector<Program> ProgramsOfTheSystem(const std::string& folder) {
  constexpr Kernel kKernel = Kernel::kLayer;
  std::vector<Program> programs = ProgramsOf(kKernel, folder);
  const runtime::Module module = Built(kKernel, "f", kHost);
  const std::string answer = Computed(kKernel, module, "f", kHost);
  programs.push_back({"run on threads", [=] {
                        // New threads each time: stopping the old ones is part of the test.
                        runtime::SetNumThreads(1);
                        runtime::SetNumThreads(3);
                        return Compared(Computed(kKernel, module, "f", kHost), answer);
                      }});
  programs.push_back({"build on threads", [=] {
                        const std::vector<driver::ProgramToCompile> two = {
                            Written(kKernel, "f", kHost), Written(kKernel, "g", kHost)};
                        auto built = driver::BuildTogether(two, {.cache = nullptr, .threads = 2});
                        runtime::ThrowIfError(built.status());
                        return Compared(Computed(kKernel, *built, "f", kHost) +
                                            Computed(kKernel, *built, "g", kHost),
                                        answer + answer);
                      }});
  // Each fork has its own copy of `number`. Folders are used one after the other.
  programs.push_back({"fill a cache", [=, number = 0]() mutable {
                        std::string place;
                        do {
                          place = folder + "/filled" + std::to_string(number++);
                        } while (std::filesystem::exists(place));
                        driver::CompileCache cache({place});
                        auto built = driver::BuildProgram(Written(kKernel, "f", kHost), &cache);
                        runtime::ThrowIfError(built.status());
                        return Compared(Computed(kKernel, *built, "f", kHost), answer);
                      }});
  return programs;
}

}  // namespace lathe::faults
