#include "runtime/artifact/artifact_module.h"

#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/artifact_image.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/tar.h"
#include "runtime/launch.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/table.h"

namespace lathe::runtime {
namespace {

using Access = ArtifactImage::Access;

constexpr uint64_t kMaxFunctions = 1 << 20;
constexpr uint64_t kMaxNameBytes = 4096;
// Artefacts within artefacts within artefacts; a real one has a host module and device modules in
// it.
constexpr int kMaxNesting = 16;

class ArtifactModule;

// A function of an imported module, as the artefact's code calls it. What is no artefact itself is
// a device's module, whose functions take streams (abi/module.h).
Function AsLaunched(const ModuleNode& module, Function function) {
  for (const char* artifact : {"elf", "so", "tar", "static"})
    if (module.kind() == artifact) return function;
  return WithCurrentStream(std::move(function));
}

// The call sites of an artefact linked into the program cannot be told from another's, so what it
// imports is found by everybody.
absl::Status RegisterFunctions(const Module& module) {
  for (const std::string& name : module->FunctionNames()) {
    LATHE_ASSIGN_OR_RETURN(Function function, module.GetFunction(name));
    LATHE_RETURN_IF_ERROR(RegisterGlobal(name, AsLaunched(*module, std::move(function))));
  }
  for (const Module& import : module->imports()) LATHE_RETURN_IF_ERROR(RegisterFunctions(import));
  return absl::OkStatus();
}

// Calls compiled code directly and keeps it mapped.
struct ArtifactFunction : internal::FunctionObject {
  explicit ArtifactFunction(Ref<ArtifactModule> owner);
  Ref<ArtifactModule> module;
};

class ArtifactModule : public ModuleNode {
 public:
  explicit ArtifactModule(std::unique_ptr<ArtifactImage> image) : image_(std::move(image)) {}

  // Checks everything the image says of itself before any of it is used.
  absl::Status Initialize(const std::string& name);

  std::string_view kind() const override { return image_->kind(); }
  Function GetFunction(std::string_view name) override {
    const auto found = functions_.find(name);
    if (found == functions_.end()) return Function();
    auto* object = MakeObject<ArtifactFunction>(Ref<ArtifactModule>(this));
    object->Retain();
    object->call = found->second;
    object->self = nullptr;
    Function function = Function::Adopt(object->c());
    return imports().empty() ? function : TakingStream(std::move(function));
  }
  std::vector<std::string> FunctionNames() const override { return names_; }
  absl::StatusOr<std::string> Save() const override { return image_->Save(); }
  const Metadata& metadata() const override { return metadata_; }
  size_t saved_imports() const override { return own_imports_; }

  absl::Status AddImports(const std::string& name, const Module& self);

 private:
  absl::Status Corrupt(const std::string& name, std::string_view what) const {
    return MakeStatus(absl::StatusCode::kDataLoss, "artifact-corrupt",
                      absl::StrCat("`", name, "`: `", LATHE_ARTIFACT_SYMBOL, "` is damaged: ", what,
                                   "; it was not made by Lathe, or is damaged: build it again"));
  }
  absl::Status ReadFunctions(const std::string& name, const lathe_artifact& artifact);
  bool ReadName(const char* text, std::string_view* out) const;

  // The image goes last: functions that call sites remember may belong to modules that only these
  // keep.
  std::unique_ptr<ArtifactImage> image_;
  std::unordered_map<std::string_view, lathe_call> functions_;  // names lie in the image
  std::vector<std::string> names_;
  Metadata metadata_;
  size_t own_imports_ = 0;
  std::unique_ptr<ImageRegistration> registration_;
};

ArtifactFunction::ArtifactFunction(Ref<ArtifactModule> owner) : module(std::move(owner)) {}

bool ArtifactModule::ReadName(const char* text, std::string_view* out) const {
  // Byte by byte: the name may be the last thing in its segment.
  for (uint64_t size = 0; size <= kMaxNameBytes; ++size) {
    if (!image_->Contains(text + size, 1, Access::kRead)) return false;
    if (text[size] == '\0') {
      *out = std::string_view(text, size);
      return size != 0;
    }
  }
  return false;
}

absl::Status ArtifactModule::ReadFunctions(const std::string& name,
                                           const lathe_artifact& artifact) {
  if (artifact.num_functions > kMaxFunctions) return Corrupt(name, "it lists too many functions");
  if (artifact.num_functions != 0 &&
      (reinterpret_cast<uintptr_t>(artifact.functions) % alignof(lathe_artifact_function) != 0 ||
       !image_->Contains(artifact.functions,
                         artifact.num_functions * sizeof(lathe_artifact_function),
                         Access::kRead))) {
    return Corrupt(name, "its list of functions lies outside of it");
  }
  for (uint64_t i = 0; i < artifact.num_functions; ++i) {
    const lathe_artifact_function& function = artifact.functions[i];
    std::string_view function_name;
    if (!ReadName(function.name, &function_name))
      return Corrupt(name, absl::StrCat("function ", i, " has no name"));
    if (!image_->Contains(reinterpret_cast<const void*>(function.call), 1, Access::kExecute)) {
      return Corrupt(name, absl::StrCat("function `", function_name, "` is no code of it"));
    }
    if (!functions_.emplace(function_name, function.call).second) {
      return Corrupt(name, absl::StrCat("it lists function `", function_name, "` twice"));
    }
    names_.emplace_back(function_name);
  }
  return absl::OkStatus();
}

absl::Status ArtifactModule::Initialize(const std::string& name) {
  const lathe_artifact* found = image_->artifact();
  if (found == nullptr) {
    return MakeStatus(
        absl::StatusCode::kNotFound, "artifact-no-symbol",
        absl::StrCat("`", name, "` does not define `", LATHE_ARTIFACT_SYMBOL,
                     "`: it is not a compiled module of Lathe; export one with `lathe compile`"));
  }
  if (reinterpret_cast<uintptr_t>(found) % alignof(lathe_artifact) != 0 ||
      !image_->Contains(found, offsetof(lathe_artifact, table), Access::kRead)) {
    return Corrupt(name, "it lies outside of its file's data");
  }
  // Before anything else, for a newer artefact may look different.
  if (found->kernel_abi > LATHE_KERNEL_ABI) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "artifact-kernel-abi",
        absl::StrCat(
            "`", name, "` was compiled for a newer runtime: expected kernel ABI ", LATHE_KERNEL_ABI,
            " or older, found ", found->kernel_abi,
            "; update the runtime, or compile with the version of Lathe that it belongs to"));
  }
  if (found->kernel_abi == 0) return Corrupt(name, "its kernel ABI is 0");
  if (found->struct_size < sizeof(lathe_artifact) ||
      !image_->Contains(found, sizeof(lathe_artifact), Access::kRead)) {
    return Corrupt(name, absl::StrCat("expected at least ", sizeof(lathe_artifact),
                                      " bytes, found ", found->struct_size));
  }
  const lathe_artifact& artifact = *found;
  if (reinterpret_cast<uintptr_t>(artifact.table) % alignof(void*) != 0 ||
      !image_->Contains(artifact.table, sizeof(void*), Access::kWrite)) {
    return Corrupt(name, "the place for the runtime's table is not in its writable data");
  }
  LATHE_RETURN_IF_ERROR(ReadFunctions(name, artifact));
  if (!image_->Contains(artifact.metadata, artifact.metadata_size, Access::kRead)) {
    return Corrupt(name, "its metadata lies outside of it");
  }
  LATHE_ASSIGN_OR_RETURN(
      metadata_, Metadata::FromJson(std::string_view(artifact.metadata, artifact.metadata_size)));
  for (const FunctionMetadata& function : metadata_.functions) {
    if (functions_.count(function.name) == 0) {
      return Corrupt(name, absl::StrCat("its metadata describes `", function.name,
                                        "`, which it does not have"));
    }
  }
  LATHE_RETURN_IF_ERROR(CheckMetadata(metadata_));
  if (artifact.imports_size != 0 &&
      !image_->Contains(artifact.imports, artifact.imports_size, Access::kRead)) {
    return Corrupt(name, "its imported modules lie outside of it");
  }
  *artifact.table = RuntimeTable();
  return absl::OkStatus();
}

absl::Status ArtifactModule::AddImports(const std::string& name, const Module& self) {
  const lathe_artifact& artifact = *image_->artifact();
  if (artifact.imports_size != 0) {
    LATHE_ASSIGN_OR_RETURN(
        std::vector<Module> imports,
        Module::DeserializeImports(std::string_view(reinterpret_cast<const char*>(artifact.imports),
                                                    artifact.imports_size)));
    for (Module& import : imports) {
      if (kind() == "static") LATHE_RETURN_IF_ERROR(RegisterFunctions(import));
      self.Import(std::move(import));
    }
    own_imports_ = self->imports().size();
  }
  if (kind() == "static") return absl::OkStatus();
  // Imports only: a function of this module that a call site remembered would keep the module alive
  // for ever.
  registration_ = std::make_unique<ImageRegistration>(
      image_->begin(), image_->end(), [this](std::string_view wanted) {
        for (const Module& import : imports()) {
          if (Function function = import.FindFunction(wanted))
            return AsLaunched(*import, std::move(function));
        }
        return Function();
      });
  return absl::OkStatus();
}

absl::StatusOr<Module> ModuleOf(std::unique_ptr<ArtifactImage> image, const std::string& name) {
  // Loading imports may come back to here.
  thread_local int nesting = 0;
  struct Level {
    Level() { ++nesting; }
    ~Level() { --nesting; }
  } level;
  if (nesting > kMaxNesting) {
    return MakeStatus(
        absl::StatusCode::kDataLoss, "artifact-corrupt",
        absl::StrCat("`", name, "` has modules nested more than ", kMaxNesting, " deep"));
  }
  auto node = Make<ArtifactModule>(std::move(image));
  LATHE_RETURN_IF_ERROR(node->Initialize(name));
  Module module(node);
  LATHE_RETURN_IF_ERROR(node->AddImports(name, module));
  return module;
}

struct Libraries {
  std::mutex mutex;
  std::vector<SymbolSource> sources;
};

Libraries& GlobalLibraries() {
  static Libraries* libraries = new Libraries;
  return *libraries;
}

ElfLoadOptions LoadOptions(const ArtifactOptions& options) {
  ElfLoadOptions load;
  load.sources = options.libraries;
  {
    Libraries& libraries = GlobalLibraries();
    std::lock_guard<std::mutex> lock(libraries.mutex);
    load.sources.insert(load.sources.end(), libraries.sources.begin(), libraries.sources.end());
  }
  load.sources.push_back(ProcessSymbols());
  return load;
}

absl::Status UnknownKind(const std::string& name) {
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "artifact-unknown-kind",
      absl::StrCat("`", name,
                   "` is no artefact: expected a shared library, an ELF object or a tar archive "
                   "of objects"));
}

}  // namespace

absl::StatusOr<Module> LoadArtifactBytes(std::string_view bytes, const std::string& name,
                                         const ArtifactOptions& options) {
  std::unique_ptr<ArtifactImage> image;
  if (LooksLikeElf(bytes)) {
    LATHE_ASSIGN_OR_RETURN(const ElfIdentity identity, ReadElfIdentity(bytes, name));
    if (identity.type == elf::kTypeRelocatable) {
      LATHE_ASSIGN_OR_RETURN(image, LoadElfImage({ObjectBytes{name, bytes}}, LoadOptions(options),
                                                 "elf", std::string(bytes)));
    } else {
      LATHE_ASSIGN_OR_RETURN(image, OpenLibraryBytes(bytes, name));
    }
  } else if (LooksLikeTar(bytes)) {
    LATHE_ASSIGN_OR_RETURN(const std::vector<TarEntry> entries, ReadTar(bytes, name));
    std::vector<std::string> names;
    names.reserve(entries.size());
    std::vector<ObjectBytes> objects;
    for (const TarEntry& entry : entries) {
      names.push_back(absl::StrCat(name, "(", entry.name, ")"));
      objects.push_back({names.back(), entry.contents});
    }
    LATHE_ASSIGN_OR_RETURN(image,
                           LoadElfImage(objects, LoadOptions(options), "tar", std::string(bytes)));
  } else {
    return UnknownKind(name);
  }
  return ModuleOf(std::move(image), name);
}

absl::StatusOr<Module> LoadArtifact(const std::string& path, const ArtifactOptions& options) {
  std::ifstream file(path, std::ios::binary);
  std::string head(20, '\0');
  if (!file.read(head.data(), static_cast<std::streamsize>(head.size())) && file.gcount() == 0) {
    return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                      absl::StrCat("`", path, "` cannot be read, or is empty"));
  }
  head.resize(static_cast<size_t>(file.gcount()));
  // Libraries are opened by path, so that debuggers and profilers know them by it.
  if (LooksLikeElf(head)) {
    LATHE_ASSIGN_OR_RETURN(const ElfIdentity identity, ReadElfIdentity(head, path));
    if (identity.type != elf::kTypeRelocatable) {
      LATHE_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactImage> image, OpenLibraryImage(path));
      return ModuleOf(std::move(image), path);
    }
  }
  file.clear();
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  std::string bytes(size > 0 ? static_cast<size_t>(size) : 0, '\0');
  file.seekg(0);
  if (size <= 0 || !file.read(bytes.data(), size)) {
    return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                      absl::StrCat("`", path, "` cannot be read"));
  }
  return LoadArtifactBytes(bytes, path, options);
}

void RegisterArtifactLibrary(SymbolSource library) {
  Libraries& libraries = GlobalLibraries();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  libraries.sources.push_back(std::move(library));
}

absl::StatusOr<Module> StaticArtifact(const lathe_artifact* artifact) {
  return ModuleOf(StaticImage(artifact), "statically linked artefact");
}

absl::Status RegisterArtifactLoaders() {
  static const absl::Status* status = new absl::Status([]() -> absl::Status {
    for (const char* kind : {"elf", "tar", "so"}) {
      LATHE_RETURN_IF_ERROR(RegisterGlobal(
          absl::StrCat("module.load.", kind), Function::From([kind](std::string_view bytes) {
            return LoadArtifactBytes(bytes, absl::StrCat("saved module of kind ", kind));
          })));
    }
    for (const char* kind : {"o", "tar", "so"}) {
      LATHE_RETURN_IF_ERROR(
          RegisterGlobal(absl::StrCat("module.load_file.", kind),
                         Function::From([](std::string path) { return LoadArtifact(path); })));
    }
    return absl::OkStatus();
  }());
  return *status;
}

}  // namespace lathe::runtime
