#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "driver/compile.h"
#include "driver/link/archive.h"
#include "driver/link/link_with_compiler.h"
#include "driver/link/shared_object.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

// Beside the target and then renamed, so that nobody sees half a file.
absl::Status WriteWhole(const std::string& path, const std::string& bytes) {
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    return MakeStatus(absl::StatusCode::kUnavailable, "export-write",
                      "cannot write `" + path +
                          "`\n  expected: a folder that exists and can be written to\n  help: "
                          "choose another path");
  }
  return absl::OkStatus();
}

bool EndsWith(const std::string& text, std::string_view suffix) {
  return text.size() > suffix.size() &&
         std::string_view(text).substr(text.size() - suffix.size()) == suffix;
}

absl::Status LinkByCompiler(const std::string& object, const std::string& path,
                            const std::string& compiler) {
  const std::string input = path + ".tmp" + std::to_string(getpid()) + ".o";
  LATHE_RETURN_IF_ERROR(WriteWhole(input, object));
  CompilerLink link;
  link.compiler = compiler;
  link.inputs = {input};
  link.output = path;
  const absl::Status status = LinkWithCompiler(link);
  std::remove(input.c_str());
  return status;
}

}  // namespace

absl::Status ExportObject(const std::string& object, const std::string& path,
                          const ExportOptions& options) {
  if (EndsWith(path, ".o")) return WriteWhole(path, object);
  if (EndsWith(path, ".tar")) {
    runtime::TarEntry entry;
    entry.name = "lib0.o";
    entry.contents = object;
    const runtime::TarEntry entries[] = {entry};
    LATHE_ASSIGN_OR_RETURN(std::string bytes, WriteTar(entries));
    return WriteWhole(path, bytes);
  }
  if (EndsWith(path, ".so")) {
    if (!options.compiler.empty()) return LinkByCompiler(object, path, options.compiler);
    runtime::ObjectBytes input;
    input.name = path;
    input.bytes = object;
    const runtime::ObjectBytes inputs[] = {input};
    LATHE_ASSIGN_OR_RETURN(std::string bytes, LinkSharedObject(inputs));
    return WriteWhole(path, bytes);
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument, "export-suffix",
                    "cannot tell from `" + path +
                        "` what to write\n  expected: a path that ends in .o, .so or .tar\n  help: "
                        "rename the file");
}

absl::Status ExportLibrary(const runtime::Module& module, const std::string& path,
                           const ExportOptions& options) {
  if (module->imports().size() > module->saved_imports()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "export-imports",
                      "the module imports others that were added after it was compiled, and its "
                      "object has only those compiled into it\n  expected: at most " +
                          std::to_string(module->saved_imports()) + " imported modules\n  found: " +
                          std::to_string(module->imports().size()) +
                          "\n  help: write what Module::Serialize gives to a file; the runtime "
                          "loads it too");
  }
  LATHE_ASSIGN_OR_RETURN(std::string object, module->Save());
  return ExportObject(object, path, options);
}

}  // namespace lathe::driver
