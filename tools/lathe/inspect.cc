// `lathe inspect`: what an artefact says about itself.
//
// Nothing of the file is loaded or run, so that artefacts for other machines, and from strangers,
// can be looked at: its metadata is a JSON document that stands in its data as it is, in objects,
// shared libraries and archives alike.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "driver/default_plugins.h"
#include "runtime/json.h"
#include "runtime/metadata.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/files.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::Metadata;

constexpr uint64_t kMaxArtifactBytes = uint64_t{4} << 30;
constexpr std::string_view kBegin = "{\"lathe\":";

constexpr Option kOptions[] = {
    {"--json", nullptr, "the metadata as JSON"},
};

// The JSON document that begins here; empty where its braces do not close within the reader's
// limit.
std::string_view DocumentAt(std::string_view bytes) {
  int depth = 0;
  bool quoted = false;
  const size_t limit = std::min(bytes.size(), runtime::Json::kMaxBytes);
  for (size_t at = 0; at < limit; ++at) {
    const char c = bytes[at];
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return bytes.substr(0, at + 1);
    }
  }
  return {};
}

absl::StatusOr<Metadata> FindMetadata(std::string_view bytes, const std::string& path) {
  const bool elf = bytes.substr(0, 4) ==
                   "\x7f"
                   "ELF";
  const bool tar = bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
  absl::Status first_failure;
  if (elf || tar) {
    for (size_t at = bytes.find(kBegin); at != std::string_view::npos;
         at = bytes.find(kBegin, at + 1)) {
      const std::string_view document = DocumentAt(bytes.substr(at));
      if (document.empty()) continue;
      absl::StatusOr<Metadata> metadata = Metadata::FromJson(document);
      if (metadata.ok()) return metadata;
      if (first_failure.ok()) first_failure = metadata.status();
    }
  }
  if (!first_failure.ok()) return AsEnvironment(first_failure);
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "inspect-no-metadata",
                    "`" + path +
                        "` is no artefact of Lathe\n  expected: an object, a shared library or a "
                        "tar archive made by `lathe compile`\n  found: " +
                        (elf   ? "an ELF file without metadata"
                         : tar ? "a tar archive without metadata"
                               : "a file of another kind") +
                        "\n  help: for a program file use `lathe lower`");
}

std::string Join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out.empty() ? "none" : out;
}

absl::Status Run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  LATHE_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxArtifactBytes));
  LATHE_ASSIGN_OR_RETURN(Metadata metadata, FindMetadata(bytes, path));
  if (arguments.Has("--json")) {
    LATHE_ASSIGN_OR_RETURN(runtime::Json json, runtime::Json::Parse(metadata.ToJson()));
    std::printf("%s\n", json.Dump(2).c_str());
    return absl::OkStatus();
  }
  driver::UseDefaultPlugins();  // devices that plugins bring
  const absl::Status runs = runtime::CheckMetadata(metadata);
  std::printf("target:    %s\n", metadata.target.c_str());
  std::printf("compiler:  lathe %s\n", metadata.compiler.c_str());
  std::printf("devices:   %s\n", Join(metadata.devices).c_str());
  std::printf("runs here: %s\n",
              runs.ok() ? "yes" : ("no: " + std::string(runtime::StatusText(runs))).c_str());
  if (!metadata.entry.empty()) std::printf("entry:     %s\n", metadata.entry.c_str());
  for (const runtime::FunctionMetadata& function : metadata.functions) {
    std::printf("function:  %s\n           writes %s; tensors on %s\n",
                function.Signature().c_str(), Join(function.outputs).c_str(),
                function.device.c_str());
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
        "nothing of it is run.\n",
    .example =
        "  lathe compile examples/programs/blur.lathe -o blur.so && lathe inspect blur.so\n"
        "  lathe inspect blur.so --json\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
