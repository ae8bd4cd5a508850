#include "tests/faults/programs.h"

#include <exception>
#include <filesystem>
#include <new>
#include <utility>

#include "base/error.h"
#include "driver/build_module.h"
#include "driver/compile.h"
#include "ir/binary.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/error_object.h"
#include "runtime/module.h"
#include "runtime/thread_pool.h"
#include "target/target.h"

namespace lathe::faults {
namespace {

constexpr const char* kSuffixes[] = {".o", ".tar", ".so"};

ir::Module Loops(Kernel kernel, const std::string& name) {
  const driver::ProgramToCompile program = Written(kernel, name);
  return driver::Lower(program.schedule, program.args, name, program.context);
}

runtime::Module Built(Kernel kernel, const std::string& name) {
  auto module = driver::Build(Loops(kernel, name), target::ParseTarget("llvm"), {});
  runtime::ThrowIfError(module.status());
  return *std::move(module);
}

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

std::vector<Program> ProgramsOf(Kernel kernel, const std::string& folder) {
  std::vector<Program> programs;
  const auto add = [&](const char* what, std::function<std::string()> run) {
    programs.push_back({std::string(NameOf(kernel)) + ": " + what, std::move(run)});
  };
  const auto lower = [kernel] {
    return ir::EncodeModule(
        driver::LowerForTarget(Loops(kernel, "f"), target::ParseTarget("llvm"), {}));
  };
  add("lower", [lower, bytes = lower()] { return Compared(lower(), bytes); });

  const runtime::Module module = Built(kernel, "f");
  const std::string answer = Computed(kernel, module, "f");
  add("build", [=] { return Compared(Computed(kernel, Built(kernel, "f"), "f"), answer); });
  add("run", [=] {
    const std::string wrong = Compared(Computed(kernel, module, "f"), answer);
    return wrong.empty() ? Refused(module) : wrong;
  });

  const std::string file = folder + "/" + NameOf(kernel);
  for (const char* suffix : kSuffixes)
    runtime::ThrowIfError(driver::ExportLibrary(module, file + suffix));
  add("load", [=] {
    for (const char* suffix : kSuffixes) {
      auto loaded = runtime::LoadModuleFile(file + suffix);
      runtime::ThrowIfError(loaded.status());
      if (Computed(kernel, *loaded, "f") != answer) return std::string(suffix) + " is wrong";
    }
    return std::string();
  });

  const ir::Module loops = Loops(kernel, "f");
  const runtime::Module outer = Built(kernel, "outer");
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
    return Compared(Computed(kernel, *read, "f"), answer);
  });

  add("export", [=] {
    for (const char* suffix : kSuffixes)
      runtime::ThrowIfError(driver::ExportLibrary(module, file + "-again" + suffix));
    return std::string();
  });
  add("find in the cache", [=] {
    driver::CompileCache cache({folder + "/cache"});
    auto built = driver::BuildProgram(Written(kernel, "f"), &cache);
    runtime::ThrowIfError(built.status());
    return Compared(Computed(kernel, *built, "f"), answer);
  });
  return programs;
}

std::vector<Program> ProgramsOfTheSystem(const std::string& folder) {
  constexpr Kernel kKernel = Kernel::kLayer;
  std::vector<Program> programs = ProgramsOf(kKernel, folder);
  const runtime::Module module = Built(kKernel, "f");
  const std::string answer = Computed(kKernel, module, "f");
  programs.push_back({"run on threads", [=] {
                        // New threads each time: stopping the old ones is part of the test.
                        runtime::SetNumThreads(1);
                        runtime::SetNumThreads(3);
                        return Compared(Computed(kKernel, module, "f"), answer);
                      }});
  programs.push_back({"build on threads", [=] {
                        const std::vector<driver::ProgramToCompile> two = {Written(kKernel, "f"),
                                                                           Written(kKernel, "g")};
                        auto built = driver::BuildTogether(two, {.cache = nullptr, .threads = 2});
                        runtime::ThrowIfError(built.status());
                        return Compared(
                            Computed(kKernel, *built, "f") + Computed(kKernel, *built, "g"),
                            answer + answer);
                      }});
  // Each fork has its own copy of `number`. Folders are used one after the other.
  programs.push_back({"fill a cache", [=, number = 0]() mutable {
                        std::string place;
                        do {
                          place = folder + "/filled" + std::to_string(number++);
                        } while (std::filesystem::exists(place));
                        driver::CompileCache cache({place});
                        auto built = driver::BuildProgram(Written(kKernel, "f"), &cache);
                        runtime::ThrowIfError(built.status());
                        return Compared(Computed(kKernel, *built, "f"), answer);
                      }});
  return programs;
}

Outcome RunOnce(const Program& program) {
  try {
    std::string wrong = program.run();
    return {wrong.empty() ? Ending::kRight : Ending::kWrong, std::move(wrong)};
  } catch (const std::bad_alloc&) {
    return {Ending::kNoMemory, {}};
  } catch (const Error& error) {
    if (error.name() == "out-of-memory" || error.name() == "device-out-of-memory")
      return {Ending::kNoMemory, {}};
    const bool named =
        !error.name().empty() && error.name() != "internal-error" && error.name() != "exception";
    return {named ? Ending::kError : Ending::kWrong, error.what()};
  } catch (const std::exception& error) {
    return {Ending::kWrong, error.what()};
  }
}

}  // namespace lathe::faults
