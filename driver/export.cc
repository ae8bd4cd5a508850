#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.h"
#include "driver/compile.h"
#include "driver/foreign_module.h"
#include "driver/link/link_with_compiler.h"
#include "driver/link/merge_objects.h"
#include "driver/link/shared_object.h"
#include "lower/pass.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/artifact/seal.h"
#include "runtime/artifact/tar_writer.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

absl::Status Unwritten(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kUnavailable, "export-write",
                    "cannot write `" + path + "`: " + why +
                        "\n  expected: a folder that exists, with room, that can be written "
                        "to\n  help: choose another path");
}

absl::Status WriteWhole(const std::string& path, const Pieces& contents) {
  NewFile file(path);
  for (const std::string_view piece : contents.views()) file.Write(piece);
  const FileProblem& problem = file.Commit();
  return problem.ok() ? absl::OkStatus() : Unwritten(path, problem.text);
}

bool EndsWith(const std::string& text, std::string_view suffix) {
  return text.size() > suffix.size() &&
         std::string_view(text).substr(text.size() - suffix.size()) == suffix;
}

// The contents of the file to write, from any source. Borrows everything.
struct Artifact {
  std::vector<runtime::ObjectBytes> objects;
  std::vector<runtime::ArtifactConstant> constants;
  std::string imports;  // in the form of runtime::SerializeParts
};

// Merges everything into one object; a single object with nothing to add is used as it is.
absl::StatusOr<Pieces> AsObject(const Artifact& artifact, const ExportOptions& options) {
  Pieces out;
  if (artifact.objects.size() == 1 && artifact.constants.empty() && artifact.imports.empty() &&
      options.symbol.empty()) {
    out.Borrow(artifact.objects.front().bytes);
    return out;
  }
  MergeOptions merge;
  if (!options.symbol.empty()) merge.symbol = options.symbol;
  merge.constants = artifact.constants;
  merge.imports = artifact.imports;
  return MergeArtifacts(artifact.objects, merge);
}

// If there are imports, replaces the objects by one merged object that contains them. `merged`
// holds its bytes.
absl::Status AddImports(Artifact& artifact, std::string& merged) {
  if (artifact.imports.empty()) return absl::OkStatus();
  MergeOptions merge;
  merge.imports = artifact.imports;
  LATHE_ASSIGN_OR_RETURN(const Pieces pieces, MergeArtifacts(artifact.objects, merge));
  merged = pieces.Join();
  artifact.objects = {{"compiled code", merged}};
  artifact.imports.clear();
  return absl::OkStatus();
}

absl::StatusOr<Pieces> AsArchive(const Artifact& artifact) {
  std::vector<runtime::TarEntry> entries;
  for (const runtime::ObjectBytes& object : artifact.objects)
    entries.push_back({"lib" + std::to_string(entries.size()) + ".o", object.bytes});
  for (const runtime::ArtifactConstant& constant : artifact.constants)
    entries.push_back({constant.symbol, constant.data});
  return runtime::WriteTar(entries);
}

absl::StatusOr<Pieces> AsLibrary(const Artifact& artifact) {
  SharedObjectOptions link;
  link.constants = artifact.constants;
  return LinkSharedObject(artifact.objects, link);
}

// Appends a seal to a file that another linker wrote. The seal covers constants too, because their
// place in the file is not known.
absl::Status AddSeal(const std::string& path) {
  std::string bytes;
  if (const FileProblem problem = ReadFile(path, kAnySize, &bytes); !problem.ok())
    return Unwritten(path, problem.text);
  FileHandle file(
      Uninterrupted([&] { return open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }));
  if (!file.is_open()) return Unwritten(path, std::strerror(errno));
  const FileProblem problem =
      WriteAll(file.get(), runtime::SealOf(Pieces(std::move(bytes)), /*constants=*/{}));
  return problem.ok() ? absl::OkStatus() : Unwritten(path, problem.text);
}

absl::Status LinkByCompiler(const Artifact& artifact, const std::string& path,
                            const std::string& compiler) {
  LATHE_ASSIGN_OR_RETURN(const Pieces object, AsObject(artifact, {}));
  // The compiler needs an input file. A new folder keeps two writers from using the same file.
  const size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  folder += std::string(NewFile::kPrefix) + "XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return Unwritten(path, std::strerror(errno));
  const std::string input = folder + "/lib0.o";
  // Removes the file and the folder even if linking is interrupted.
  struct Remove {
    const std::string &input, &folder;
    ~Remove() {
      unlink(input.c_str());
      rmdir(folder.c_str());
    }
  };
  std::optional<Remove> remove(std::in_place, input, folder);
  const lower::Step step("the linking compiler", compiler.c_str());
  LATHE_RETURN_IF_ERROR(WriteWhole(input, object));
  CompilerLink link;
  link.compiler = compiler;
  link.inputs = {input};
  link.output = path;
  LATHE_RETURN_IF_ERROR(LinkWithCompiler(link));
  remove.reset();
  return AddSeal(path);
}

absl::Status Export(Artifact artifact, const std::string& path, const ExportOptions& options) {
  if (!options.symbol.empty() && !EndsWith(path, ".o")) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "export-symbol",
                      "a symbol of its own is for objects that are linked into a program\n  "
                      "expected: a path that ends in .o\n  found: `" +
                          path + "`\n  help: leave the symbol out");
  }
  std::string merged;
  if (!EndsWith(path, ".o")) LATHE_RETURN_IF_ERROR(AddImports(artifact, merged));
  if (EndsWith(path, ".so") && !options.compiler.empty())
    return LinkByCompiler(artifact, path, options.compiler);
  absl::StatusOr<Pieces> contents =
      MakeStatus(absl::StatusCode::kInvalidArgument, "export-suffix",
                 "cannot tell from `" + path +
                     "` what to write\n  expected: a path that ends in .o, .so or .tar\n  help: "
                     "rename the file");
  if (EndsWith(path, ".o")) contents = AsObject(artifact, options);
  if (EndsWith(path, ".tar")) contents = AsArchive(artifact);
  if (EndsWith(path, ".so")) contents = AsLibrary(artifact);
  LATHE_RETURN_IF_ERROR(contents.status());
  contents->Append(runtime::SealOf(*contents, artifact.constants));
  return WriteWhole(path, *contents);
}

// For a module whose file cannot be taken apart: writes the same bytes again, if the path asks for
// the same kind.
absl::Status ExportAsItIs(const runtime::ArtifactContents& contents, const std::string& path,
                          bool imports_added) {
  const std::string kind(contents.kind);
  if (EndsWith(path, "." + kind) && !imports_added) {
    Pieces bytes;
    bytes.Borrow(contents.bytes);
    return WriteWhole(path, bytes);
  }
  return MakeStatus(
      absl::StatusCode::kUnimplemented, "export-kind",
      "the module was loaded from a file of kind `" + kind + "`, and cannot be written " +
          (imports_added ? "with modules that were added to it" : "to `" + path + "`") +
          "\n  expected: a path that ends in ." + kind +
          ", and no modules added\n  help: export the module that the file was made from; "
          "Module::Serialize writes this one with all it imports");
}

}  // namespace

absl::Status ExportObject(const std::string& object, const std::string& path,
                          const ExportOptions& options) {
  return Export({{{"compiled code", object}}, {}, ""}, path, options);
}

absl::Status ExportCompiled(const Compiled& compiled, const std::string& path,
                            const ExportOptions& options) {
  return Export({{{"compiled code", compiled.bytes}}, ArtifactConstantsOf(compiled), ""}, path,
                options);
}

absl::Status ExportLibrary(const runtime::Module& module, const std::string& path,
                           const ExportOptions& options) {
  if (const Compiled* foreign = ForeignCode(module)) {
    LATHE_ASSIGN_OR_RETURN(std::string imports, module.SerializeImports());
    return Export(
        {{{"compiled code", foreign->bytes}}, ArtifactConstantsOf(*foreign), std::move(imports)},
        path, options);
  }
  LATHE_ASSIGN_OR_RETURN(const runtime::ArtifactContents contents, runtime::ContentsOf(module));
  const size_t saved = module->saved_imports();
  const bool imports_added = module->imports().size() > saved;
  if (contents.kind != "elf" && contents.kind != "tar")
    return ExportAsItIs(contents, path, imports_added);
  Artifact artifact = {{{"compiled code", contents.bytes}},
                       {contents.constants.begin(), contents.constants.end()},
                       ""};
  std::vector<runtime::TarEntry> entries;
  if (contents.kind == "tar") {
    LATHE_ASSIGN_OR_RETURN(entries, runtime::ReadTar(contents.bytes, "the module's archive"));
    artifact.objects.clear();
    for (const runtime::TarEntry& entry : entries)
      artifact.objects.push_back({entry.name, entry.contents});
  }
  LATHE_ASSIGN_OR_RETURN(artifact.imports, module.SerializeImports(saved));
  return Export(std::move(artifact), path, options);
}

}  // namespace lathe::driver
