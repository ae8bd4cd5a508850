// `lathe inspect`: prints what an artefact says about itself.
//
// It loads and runs nothing of the file, so artefacts for other machines and from untrusted sources
// can be inspected. The metadata is a JSON document that lies uncompressed in the file's data, in
// objects, shared libraries and archives alike.
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "absl/strings/str_join.h"
#include "driver/default_plugins.h"
#include "driver/read_artifact.h"
#include "runtime/artifact/seal.h"
#include "runtime/json.h"
#include "runtime/metadata.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/files.h"

namespace lathe::cli {
namespace {

using runtime::Metadata;

constexpr uint64_t kMaxArtifactBytes = uint64_t{4} << 30;

constexpr Option kOptions[] = {
    {"--json", nullptr, "the metadata as JSON"},
    {"--module", "N", "look at the N-th imported (device) module instead of the whole"},
    {"--source", "FORMAT", "with --module: its text in this format (`-` for the usual one)"},
    {"--binary", "OUT", "with --module: write its bytes to OUT"},
};

std::string ListOf(const std::vector<std::string>& items) {
  return items.empty() ? "none" : absl::StrJoin(items, ", ");
}

void PrintWorkspace(const runtime::FunctionMetadata& function) {
  if (!function.workspace_unknown.empty()) {
    std::printf("           workspace: not known, %s\n", function.workspace_unknown.c_str());
  } else if (!function.workspace.empty()) {
    std::printf("           workspace: %s bytes, and %s for each thread of a parallel loop\n",
                function.workspace.c_str(), function.thread_workspace.c_str());
  }
}

void PrintFunctions(const Metadata& metadata) {
  for (const runtime::FunctionMetadata& function : metadata.functions) {
    std::printf("function:  %s\n", function.Signature().c_str());
    if (function.launch.empty()) {
      std::printf("           writes %s; tensors on %s\n", ListOf(function.outputs).c_str(),
                  function.device.c_str());
      PrintWorkspace(function);
      if (function.unchecked)
        std::printf("           entry without checks: buffers %s; sizes %s\n",
                    ListOf(function.entry_buffers).c_str(), ListOf(function.entry_sizes).c_str());
    } else {
      std::printf("           kernel launched over %s%s\n", ListOf(function.launch).c_str(),
                  function.dynamic_shared ? ", with dynamic shared memory" : "");
    }
  }
}

// Is the file as it was written?
std::string DigestsOf(std::string_view bytes, const std::string& path) {
  if (!runtime::IsSealed(bytes)) return "none (another linker's file, stripped, or cut off)";
  const absl::Status status = runtime::CheckSeal(bytes, path, runtime::SealCheck::kEverything);
  return status.ok() ? "match" : "do not match: " + std::string(runtime::StatusText(status));
}

// Prints one imported module, with the help of its plugin. Nothing of the module runs.
absl::Status InspectImport(const Arguments& arguments,
                           const std::vector<runtime::ModulePart>& imports) {
  int64_t wanted = -1;
  const std::string text = arguments.Get("--module");
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  if (bad != std::errc() || end != text.data() + text.size() || wanted < 0 ||
      wanted >= static_cast<int64_t>(imports.size())) {
    throw UsageError(Diagnostic{
        .name = "cli-bad-value",
        .message = "there is no imported module `" + text + "`",
        .expected = "a number below " + std::to_string(imports.size()) + ", counted from 0",
        .found = "`" + text + "`"});
  }
  const runtime::ModulePart& part = imports[static_cast<size_t>(wanted)];
  if (arguments.Has("--binary")) return WriteOutput(arguments.Get("--binary"), part.bytes);
  driver::UseDefaultPlugins();
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         runtime::LoadModuleBytes(part.kind, part.bytes));
  if (arguments.Has("--source")) {
    const std::string format = arguments.Get("--source");
    LATHE_ASSIGN_OR_RETURN(const std::string source, module->Source(format == "-" ? "" : format));
    std::printf("%s\n", source.c_str());
    return absl::OkStatus();
  }
  std::printf("kind:      %s\nbytes:     %zu\ntarget:    %s\n", part.kind.c_str(),
              part.bytes.size(), module->metadata().target.c_str());
  PrintFunctions(module->metadata());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  LATHE_ASSIGN_OR_RETURN(std::string bytes, ReadInput(path, kMaxArtifactBytes));
  const std::string digests = DigestsOf(bytes, path);
  const std::vector<runtime::ModulePart> imports = driver::TakeImports(&bytes);
  const absl::StatusOr<Metadata> found = driver::FindMetadata(bytes, path);
  if (!found.ok()) {
    const bool is_artifact = runtime::StatusName(found.status()) != "inspect-no-metadata";
    return is_artifact ? AsEnvironment(found.status()) : found.status();
  }
  const Metadata& metadata = *found;
  if (arguments.Has("--module")) return InspectImport(arguments, imports);
  if (arguments.Has("--json")) {
    LATHE_ASSIGN_OR_RETURN(runtime::Json json, runtime::Json::Parse(metadata.ToJson()));
    std::printf("%s\n", json.Dump(2).c_str());
    return absl::OkStatus();
  }
  driver::UseDefaultPlugins();  // they may know the devices
  const absl::Status runs = runtime::CheckMetadata(metadata);
  std::printf("target:    %s\n", metadata.target.c_str());
  std::printf("compiler:  lathe %s\n", metadata.compiler.c_str());
  std::printf("devices:   %s\n", ListOf(metadata.devices).c_str());
  std::printf("runs here: %s\n",
              runs.ok() ? "yes" : ("no: " + std::string(runtime::StatusText(runs))).c_str());
  std::printf("digests:   %s\n", digests.c_str());
  if (!metadata.entry.empty()) std::printf("entry:     %s\n", metadata.entry.c_str());
  PrintFunctions(metadata);
  for (size_t i = 0; i < imports.size(); ++i) {
    std::printf("imports:   module %zu of kind %s, %zu bytes\n", i, imports[i].kind.c_str(),
                imports[i].bytes.size());
  }
  return absl::OkStatus();
}

}  // namespace

const Command kInspect = {
    .name = "inspect",
    .arguments = "ARTEFACT",
    .what = "show what a compiled file contains and for whom it was compiled",
    .details =
        "ARTEFACT is what `lathe compile` wrote (.o, .so or .tar), also for another machine: "
        "nothing of it is run.\nIts device modules are listed as imports; `--module N` shows one, "
        "if "
        "the plugin of its kind is here.\n",
    .example =
        "  lathe compile examples/programs/blur.lathe -o blur.so && lathe inspect blur.so\n"
        "  lathe inspect blur.so --json\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
