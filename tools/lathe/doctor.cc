// `lathe doctor`: tries everything that a user needs on this machine, and says how to repair what
// does not work.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/file.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/cpu_features.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "target/host_target.h"
#include "te/evaluator.h"
#include "tools/lathe/files.h"
#include "tools/lathe/numbers.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::PluginInfo;
using runtime::PluginLoader;
using runtime::Tensor;

constexpr int64_t kElements = 1003;  // not a multiple of a vector's lanes

constexpr char kReport[] = "report this, with the output of `lathe doctor`";
constexpr char kWrong[] = "compiled code and the interpreter disagree";

constexpr char kSelfTest[] = R"(program vector_add {
  var n: size
  placeholder A: float32[n]
  placeholder B: float32[n]
  compute C[i in range(n)] = A[i] + B[i]
  args [A, B, C]
  schedule {
    C.i.outer, C.i.inner = split(axis=C.i, factor=16)
    vectorize(axis=C.i.inner)
    parallel(axis=C.i.outer)
  }
})";

struct Finding {
  bool works = true;
  std::string what;  // the result of the check
  std::string mend;  // if it does not work: the command or step that repairs it
};

Finding Works(std::string what) { return {true, std::move(what), ""}; }
Finding Fails(std::string what, std::string mend) {
  return {false, std::move(what), std::move(mend)};
}
Finding Fails(const absl::Status& status, std::string mend) {
  return {false, std::string(status.message()), std::move(mend)};
}

// Tries to write and remove a small file in the folder, which must exist.
bool Writable(const std::string& folder, std::string* why) {
  std::string path = folder + "/lathe-doctor-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) {
    *why = std::strerror(errno);
    return false;
  }
  *why = WriteAll(file, "ok").text;
  close(file);
  unlink(path.c_str());
  return why->empty();
}

Finding CheckProcessor() {
  const std::vector<std::string> features = runtime::HostFeatures();
  return Works(std::string(runtime::HostArchitecture()) +
               (features.empty() ? "" : " with " + absl::StrJoin(features, " ")));
}

Finding CheckThreads() {
  try {
    const int threads = runtime::NumThreads();
    std::vector<int64_t> seen(10000);
    runtime::ParallelFor(static_cast<int64_t>(seen.size()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)] += i + 1;
    });
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] != static_cast<int64_t>(i) + 1)
        return Fails("a parallel loop left out or repeated iteration " + std::to_string(i),
                     "report this: it is a bug in Lathe");
    }
    return Works(std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  } catch (const Error& error) {
    return Fails(error.what(), "unset LATHE_NUM_THREADS");
  }
}

Finding CheckTemporary() {
  const std::string folder = TemporaryFolder();
  std::string why;
  if (Writable(folder, &why)) return Works(folder);
  return Fails("cannot write to " + folder + ": " + why,
               "export TMPDIR=FOLDER with a folder that can be written to");
}

Finding CheckCache() {
  const std::string folder = runtime::PluginOptions::Default().verdict_folder;
  if (folder.empty())
    return Fails("no place for a cache: plugins are tried anew by each process",
                 "export LATHE_CACHE_DIR=FOLDER");
  // The cache makes its folder when it is first needed.
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  std::string why;
  if (Writable(folder, &why)) return Works(folder);
  return Fails("cannot write to " + folder + ": " + why,
               "export LATHE_CACHE_DIR=FOLDER with a folder that can be written to");
}

// Loads each plugin. A child process tries it first, so a broken plugin does no harm here.
Finding CheckPlugin(const PluginInfo& info) {
  const std::string mend =
      "`lathe plugins` shows details; rebuild the plugin or take it off LATHE_PLUGIN_PATH";
  if (!info.reason.ok()) return Fails(info.reason, mend);
  absl::Status status;
  std::vector<std::string> kinds;  // each once, although a target and a device may share a name
  auto load = [&](runtime::PluginKind what, const std::string& kind) {
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    if (status.ok()) status = PluginLoader::Global().LoadKind(what, kind);
  };
  for (const std::string& kind : info.manifest.target_kinds)
    load(runtime::PluginKind::kTarget, kind);
  for (const auto& device : info.manifest.devices) load(runtime::PluginKind::kDevice, device.kind);
  for (const auto& module : info.manifest.modules) load(runtime::PluginKind::kModule, module.kind);
  if (!status.ok()) return Fails(status, mend);
  return Works("loads; provides " + (kinds.empty() ? "nothing" : absl::StrJoin(kinds, ", ")));
}

absl::StatusOr<std::vector<Tensor>> SelfTestArguments() {
  std::vector<Tensor> out;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    LATHE_ASSIGN_OR_RETURN(Tensor input,
                           MakeFilled("random", {kElements}, DataType::Float(32), seed));
    out.push_back(std::move(input));
  }
  LATHE_ASSIGN_OR_RETURN(Tensor output, MakeFilled("zeros", {kElements}, DataType::Float(32), 0));
  out.push_back(std::move(output));
  return out;
}

absl::StatusOr<bool> EqualsInterpreter(const LoadedProgram& program,
                                       const runtime::Module& module) {
  LATHE_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, SelfTestArguments());
  LATHE_ASSIGN_OR_RETURN(runtime::Function function, module.GetFunction(program.loaded.name));
  LATHE_RETURN_IF_ERROR(function.TryCall(tensors[0], tensors[1], tensors[2]).status());
  std::vector<float> expected(kElements);
  const ir::InterpValue values[] = {
      ir::InterpTensor::Of(tensors[0].HostData<float>(), DataType::Float(32), {kElements}),
      ir::InterpTensor::Of(tensors[1].HostData<float>(), DataType::Float(32), {kElements}),
      ir::InterpTensor::Of(expected.data(), DataType::Float(32), {kElements}),
  };
  te::Evaluate(program.loaded.args, values);
  return std::memcmp(expected.data(), tensors[2].HostData<const float>(),
                     expected.size() * sizeof(float)) == 0;
}

Finding CheckCompile() {
  const std::string mend =
      "`lathe plugins` shows whether the llvm plugin is found; put its folder on LATHE_PLUGIN_PATH "
      "or install Lathe again";
  try {
    const LoadedProgram program = LoadProgramText(kSelfTest, "self-test");
    const target::Target target = target::HostTarget();
    const ir::Module lowered =
        driver::Lower(program.loaded.schedule, program.loaded.args, program.loaded.name, {});
    absl::StatusOr<runtime::Module> module = driver::Build(lowered, target, {});
    if (!module.ok()) return Fails(module.status(), mend);
    const absl::StatusOr<bool> same = EqualsInterpreter(program, *module);
    if (!same.ok()) return Fails(same.status(), kReport);
    if (!*same) return Fails(kWrong, kReport);
    return Works("a vector sum, compiled for this machine, equals the interpreter's");
  } catch (const Error& error) {
    return Fails(error.what(), mend);
  }
}

Finding CheckSaved() {
  try {
    const LoadedProgram program = LoadProgramText(kSelfTest, "self-test");
    const ir::Module lowered =
        driver::Lower(program.loaded.schedule, program.loaded.args, program.loaded.name, {});
    absl::StatusOr<std::string> object =
        driver::Compile(lowered, target::HostTarget(), plugins::OutputKind::kObject, {});
    if (!object.ok()) return Fails(object.status(), "mend the check before this one first");
    absl::StatusOr<runtime::Module> module = runtime::LoadArtifactBytes(*object, "self-test");
    if (!module.ok()) return Fails(module.status(), kReport);
    const absl::StatusOr<bool> same = EqualsInterpreter(program, *module);
    if (!same.ok()) return Fails(same.status(), kReport);
    if (!*same) return Fails(kWrong, kReport);
    return Works("an object of " + std::to_string(object->size()) + " bytes loads and runs");
  } catch (const Error& error) {
    return Fails(error.what(), "mend the check before this one first");
  }
}

absl::Status Run(const Arguments& arguments) {
  driver::UseDefaultPlugins();
  const bool color = arguments.color();
  int checks = 0, failures = 0;
  auto report = [&](const std::string& name, const Finding& finding) {
    ++checks;
    if (!finding.works) ++failures;
    const char* mark = finding.works ? "ok" : "FAILS";
    const char* paint = !color ? "" : finding.works ? "\033[32m" : "\033[1;31m";
    std::string what;
    for (char c : finding.what) {
      what += c;
      if (c == '\n') what += "        ";
    }
    std::printf("%s%-6s%s %s: %s\n", paint, mark, color ? "\033[0m" : "", name.c_str(),
                what.c_str());
    if (!finding.works) std::printf("       mend: %s\n", finding.mend.c_str());
    std::fflush(stdout);
  };

  std::printf("lathe %s\n", driver::kVersion);
  report("processor", CheckProcessor());
  report("threads", CheckThreads());
  report("temporary files", CheckTemporary());
  report("cache", CheckCache());
  const std::vector<PluginInfo> plugins = PluginLoader::Global().List();
  if (plugins.empty()) {
    report("plugins", Fails("none found: nothing can be compiled",
                            "export LATHE_PLUGIN_PATH=FOLDER with the folder of libllvm.so, or "
                            "install Lathe again"));
  }
  for (const PluginInfo& info : plugins) report("plugin " + info.Title(), CheckPlugin(info));
  report("compile and run", CheckCompile());
  report("save and load", CheckSaved());
  if (failures == 0) {
    std::printf("everything works\n");
    return absl::OkStatus();
  }
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "doctor-found-problems",
                    std::to_string(failures) + " of " + std::to_string(checks) +
                        " checks failed\n  help: the lines marked `mend` above say what to do");
}

}  // namespace

const Command kDoctor = {
    .name = "doctor",
    .arguments = "",
    .what = "try what is needed here, and say what mends what does not work",
    .details =
        "Looks at the processor, threads, folders and each plugin; compiles, saves, loads and runs "
        "a small program and\n"
        "compares it with the interpreter. Ends with 3 where something does not work.\n",
    .example = "  lathe doctor\n",
    .options = {},
    .fewest = 0,
    .most = 0,
    .run = Run,
};

}  // namespace lathe::cli
