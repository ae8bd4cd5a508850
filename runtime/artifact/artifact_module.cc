#include "runtime/artifact/artifact_module.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "runtime/artifact/artifact_bytes.h"
#include "runtime/artifact/artifact_image.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/kernel_entry.h"
#include "runtime/artifact/seal.h"
#include "runtime/artifact/tar_writer.h"
#include "runtime/device_constants.h"
#include "runtime/launch.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/table.h"

namespace lathe::runtime {
namespace {

using Access = ArtifactImage::Access;

constexpr uint64_t kMaxFunctions = 1 << 20, kMaxParts = 1 << 20;
constexpr int kMaxPartsDepth = 8;  // a module that was exported, merged, exported with imports, ...
constexpr uint64_t kMaxNameBytes = 4096;
// Limit for artefacts inside artefacts; a real one has a host module with device modules inside.
constexpr int kMaxNesting = 16;

class ArtifactModule;

// A function of an imported module, in the form that the artefact's code calls. A module that is
// not an artefact is a device's module, whose functions take streams (abi/module.h).
Function AsLaunched(const ModuleNode& module, Function function) {
  for (const char* artifact : {"elf", "so", "tar", "static"})
    if (module.kind() == artifact) return function;
  return WithCurrentStream(std::move(function));
}

// If an artefact is linked into the program and does not list its call sites, they cannot be told
// from another artefact's. So the functions of its imports are registered globally. `done`: modules
// whose functions are registered already.
absl::Status RegisterFunctions(const Module& root, std::unordered_set<ModuleNode*>* done) {
  for (ModuleNode* node : ModulesOf(root)) {
    if (!done->insert(node).second) continue;
    const Module module{Ref<ModuleNode>(node)};
    for (const std::string& name : module->FunctionNames()) {
      LATHE_ASSIGN_OR_RETURN(Function function, module.GetFunction(name));
      LATHE_RETURN_IF_ERROR(RegisterGlobal(name, AsLaunched(*module, std::move(function))));
    }
  }
  return absl::OkStatus();
}

// Calls compiled code directly, and keeps the code mapped.
struct ArtifactFunction : internal::FunctionObject {
  explicit ArtifactFunction(Ref<ArtifactModule> owner);
  Ref<ArtifactModule> module;
};

class ArtifactModule : public ModuleNode {
 public:
  ArtifactModule(std::unique_ptr<ArtifactImage> image, std::vector<ArtifactConstant> constants)
      : constants_(std::move(constants)), image_(std::move(image)) {}

  // Checks all tables of the image before any of them is used.
  absl::Status Initialize(const std::string& name);

  // A module with constants is saved as an archive that contains them.
  std::string_view kind() const override { return constants_.empty() ? image_->kind() : "tar"; }
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
  absl::StatusOr<std::string> Save() const override;
  absl::StatusOr<ArtifactContents> Contents() const {
    LATHE_ASSIGN_OR_RETURN(std::string bytes, image_->Save());
    return ArtifactContents{image_->kind(), std::move(bytes), constants_};
  }
  const Metadata& metadata() const override { return metadata_; }
  size_t saved_imports() const override { return own_imports_; }

  absl::Status AddImports(const std::string& name, const Module& self);
  // True if all its call sites are known.
  bool KnowsCallSites() const {
    return std::all_of(artifacts_.begin(), artifacts_.end(), [](const lathe_artifact* artifact) {
      return artifact->num_functions == 0 || HasCallSites(*artifact);
    });
  }

  lathe_kernel_entry FindEntry(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : found->second;
  }

 private:
  absl::Status Corrupt(const std::string& name, std::string_view what) const {
    return MakeStatus(absl::StatusCode::kDataLoss, "artifact-corrupt",
                      absl::StrCat("`", name, "`: `", LATHE_ARTIFACT_SYMBOL, "` is damaged: ", what,
                                   "; it was not made by Lathe, or is damaged: build it again"));
  }
  // Checks the tables of `found`, which is a part at nesting `depth`, and of its own parts.
  absl::Status Read(const std::string& name, const lathe_artifact* found, int depth);
  absl::Status CheckHead(const std::string& name, const lathe_artifact* found) const;
  absl::Status ReadFunctions(const std::string& name, const lathe_artifact& artifact);
  absl::Status ReadEntries(const std::string& name, const lathe_artifact& artifact);
  absl::Status ReadMetadata(const std::string& name, const lathe_artifact& artifact);
  absl::Status ReadParts(const std::string& name, const lathe_artifact& artifact, int depth);
  bool ReadName(const char* text, std::string_view* out) const;
  static bool HasCallSites(const lathe_artifact& artifact) {
    return artifact.struct_size >= offsetof(lathe_artifact, num_call_sites) + sizeof(uint64_t);
  }
  // What the artefact's own code finds by a name; null if that is a global function.
  Function ForCallSite(std::string_view wanted) const;
  void RegisterImages();

  // The image is destroyed last: call sites remember functions that may belong to modules which
  // only the members below keep alive.
  std::vector<ArtifactConstant> constants_;
  std::unique_ptr<ArtifactImage> image_;
  std::vector<const lathe_artifact*> artifacts_;                // the main one, then its parts
  std::unordered_map<std::string_view, lathe_call> functions_;  // names lie in the image
  std::unordered_map<std::string_view, lathe_kernel_entry> entries_;
  std::vector<std::string> names_;
  Metadata metadata_;
  size_t own_imports_ = 0;
  Function device_constants_ = MakeDeviceConstants();
  std::vector<std::unique_ptr<ImageRegistration>> registrations_;
};

ArtifactFunction::ArtifactFunction(Ref<ArtifactModule> owner) : module(std::move(owner)) {}

bool ArtifactModule::ReadName(const char* text, std::string_view* out) const {
  // Checks byte by byte: the name may end at the end of its segment.
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

absl::Status ArtifactModule::ReadEntries(const std::string& name, const lathe_artifact& artifact) {
  constexpr size_t kEnd = offsetof(lathe_artifact, num_entries) + sizeof(uint64_t);
  if (artifact.kernel_abi < LATHE_KERNEL_ABI_ENTRIES || artifact.struct_size < kEnd)
    return absl::OkStatus();
  if (!image_->Contains(&artifact, kEnd, Access::kRead))
    return Corrupt(name, absl::StrCat("expected at least ", kEnd, " bytes"));
  if (artifact.num_entries == 0) return absl::OkStatus();
  if (artifact.num_entries > kMaxFunctions) return Corrupt(name, "it lists too many entries");
  if (reinterpret_cast<uintptr_t>(artifact.entries) % alignof(lathe_artifact_entry) != 0 ||
      !image_->Contains(artifact.entries, artifact.num_entries * sizeof(lathe_artifact_entry),
                        Access::kRead)) {
    return Corrupt(name, "its list of entries lies outside of it");
  }
  for (uint64_t i = 0; i < artifact.num_entries; ++i) {
    const lathe_artifact_entry& entry = artifact.entries[i];
    std::string_view of;
    if (!ReadName(entry.name, &of)) return Corrupt(name, absl::StrCat("entry ", i, " has no name"));
    if (!image_->Contains(reinterpret_cast<const void*>(entry.call), 1, Access::kExecute))
      return Corrupt(name, absl::StrCat("the entry of `", of, "` is no code of it"));
    if (!entries_.emplace(of, entry.call).second)
      return Corrupt(name, absl::StrCat("it lists an entry of `", of, "` twice"));
  }
  return absl::OkStatus();
}

absl::Status ArtifactModule::CheckHead(const std::string& name, const lathe_artifact* found) const {
  if (reinterpret_cast<uintptr_t>(found) % alignof(lathe_artifact) != 0 ||
      !image_->Contains(found, offsetof(lathe_artifact, table), Access::kRead)) {
    return Corrupt(name, "it lies outside of its file's data");
  }
  // This check comes first: the layout of a newer artefact may be different.
  if (found->kernel_abi > LATHE_KERNEL_ABI) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "artifact-kernel-abi",
        absl::StrCat(
            "`", name, "` was compiled for a newer runtime: expected kernel ABI ", LATHE_KERNEL_ABI,
            " or older, found ", found->kernel_abi,
            "; update the runtime, or compile with the version of Lathe that it belongs to"));
  }
  if (found->kernel_abi == 0) return Corrupt(name, "its kernel ABI is 0");
  const size_t expected = found->kernel_abi < LATHE_KERNEL_ABI_PARTS
                              ? offsetof(lathe_artifact, parts)
                              : offsetof(lathe_artifact, entries);
  if (found->struct_size < expected || !image_->Contains(found, expected, Access::kRead)) {
    return Corrupt(
        name, absl::StrCat("expected at least ", expected, " bytes, found ", found->struct_size));
  }
  return absl::OkStatus();
}

absl::Status ArtifactModule::ReadMetadata(const std::string& name, const lathe_artifact& artifact) {
  if (artifact.metadata_size == 0) return absl::OkStatus();
  if (!image_->Contains(artifact.metadata, artifact.metadata_size, Access::kRead)) {
    return Corrupt(name, "its metadata lies outside of it");
  }
  LATHE_ASSIGN_OR_RETURN(Metadata metadata, Metadata::FromJson(std::string_view(
                                                artifact.metadata, artifact.metadata_size)));
  for (const FunctionMetadata& function : metadata.functions) {
    if (functions_.count(function.name) == 0 && entries_.count(function.name) == 0) {
      return Corrupt(name, absl::StrCat("its metadata describes `", function.name,
                                        "`, which it does not have"));
    }
  }
  LATHE_RETURN_IF_ERROR(CheckMetadata(metadata));
  metadata_.Append(std::move(metadata));
  return absl::OkStatus();
}

absl::Status ArtifactModule::ReadParts(const std::string& name, const lathe_artifact& artifact,
                                       int depth) {
  if (artifact.num_parts == 0) return absl::OkStatus();
  if (depth >= kMaxPartsDepth) return Corrupt(name, "its parts have too many levels");
  if (artifact.num_parts > kMaxParts) return Corrupt(name, "it lists too many parts");
  if (reinterpret_cast<uintptr_t>(artifact.parts) % alignof(void*) != 0 ||
      !image_->Contains(artifact.parts, artifact.num_parts * sizeof(void*), Access::kRead)) {
    return Corrupt(name, "its list of parts lies outside of it");
  }
  for (uint64_t i = 0; i < artifact.num_parts; ++i)
    LATHE_RETURN_IF_ERROR(Read(name, artifact.parts[i], depth + 1));
  return absl::OkStatus();
}

absl::Status ArtifactModule::Read(const std::string& name, const lathe_artifact* found, int depth) {
  // Reached by a list that contains its own artefact, or one list many times.
  if (artifacts_.size() > kMaxParts) return Corrupt(name, "it has too many parts");
  LATHE_RETURN_IF_ERROR(CheckHead(name, found));
  const lathe_artifact& artifact = *found;
  const bool has_table = artifact.table != nullptr || artifact.num_functions != 0;
  if (has_table && (reinterpret_cast<uintptr_t>(artifact.table) % alignof(void*) != 0 ||
                    !image_->Contains(artifact.table, sizeof(void*), Access::kWrite))) {
    return Corrupt(name, "the place for the runtime's table is not in its writable data");
  }
  LATHE_RETURN_IF_ERROR(ReadFunctions(name, artifact));
  LATHE_RETURN_IF_ERROR(ReadEntries(name, artifact));
  LATHE_RETURN_IF_ERROR(ReadMetadata(name, artifact));
  if (artifact.imports_size != 0 &&
      !image_->Contains(artifact.imports, artifact.imports_size, Access::kRead)) {
    return Corrupt(name, "its imported modules lie outside of it");
  }
  artifacts_.push_back(found);
  return artifact.kernel_abi < LATHE_KERNEL_ABI_PARTS ? absl::OkStatus()
                                                      : ReadParts(name, artifact, depth);
}

absl::Status ArtifactModule::Initialize(const std::string& name) {
  const lathe_artifact* found = image_->artifact();
  if (found == nullptr) {
    return MakeStatus(
        absl::StatusCode::kNotFound, "artifact-no-symbol",
        absl::StrCat("`", name, "` does not define `", LATHE_ARTIFACT_SYMBOL,
                     "`: it is not a compiled module of Lathe; export one with `lathe compile`"));
  }
  LATHE_RETURN_IF_ERROR(Read(name, found, /*depth=*/0));
  for (const lathe_artifact* artifact : artifacts_) {
    if (artifact->table != nullptr) *artifact->table = RuntimeTable();
  }
  return absl::OkStatus();
}

absl::Status ArtifactModule::AddImports(const std::string& name, const Module& self) {
  std::unordered_set<ModuleNode*> registered;
  for (const lathe_artifact* artifact : artifacts_) {
    if (artifact->imports_size == 0) continue;
    LATHE_ASSIGN_OR_RETURN(
        std::vector<Module> imports,
        Module::DeserializeImports(std::string_view(
            reinterpret_cast<const char*>(artifact->imports), artifact->imports_size)));
    for (Module& import : imports) {
      if (image_->begin() == nullptr && !KnowsCallSites())
        LATHE_RETURN_IF_ERROR(RegisterFunctions(import, &registered));
      self.Import(std::move(import));
    }
  }
  own_imports_ = self->imports().size();
  RegisterImages();
  return absl::OkStatus();
}

Function ArtifactModule::ForCallSite(std::string_view wanted) const {
  if (wanted == LATHE_DEVICE_CONSTANT) return device_constants_;
  for (const Module& import : imports()) {
    if (Function function = import.FindFunction(wanted))
      return AsLaunched(*import, std::move(function));
  }
  return Function();
}

// Call sites do not look up functions of this module: if a call site remembered a function of this
// module, the module would never be freed.
void ArtifactModule::RegisterImages() {
  const auto add = [this](const void* begin, const void* end) {
    registrations_.push_back(std::make_unique<ImageRegistration>(
        begin, end, [this](std::string_view wanted) { return ForCallSite(wanted); }));
  };
  if (image_->begin() != nullptr) return add(image_->begin(), image_->end());
  // An artefact linked into the program has no known bounds, so its call sites are registered
  // instead.
  for (const lathe_artifact* artifact : artifacts_) {
    if (HasCallSites(*artifact) && artifact->num_call_sites != 0)
      add(artifact->call_sites, artifact->call_sites + artifact->num_call_sites);
  }
}

absl::StatusOr<std::string> ArtifactModule::Save() const {
  LATHE_ASSIGN_OR_RETURN(ArtifactContents contents, Contents());
  if (constants_.empty()) return std::move(contents.bytes);
  std::vector<TarEntry> entries = {{"lib0.o", contents.bytes}};
  if (contents.kind == "tar") {
    LATHE_ASSIGN_OR_RETURN(entries, ReadTar(contents.bytes, "saved module"));
  }
  for (const ArtifactConstant& constant : constants_)
    entries.push_back({constant.symbol, constant.data});
  LATHE_ASSIGN_OR_RETURN(const Pieces archive, WriteTar(entries));
  return archive.Join();
}

absl::StatusOr<Module> ModuleOf(std::unique_ptr<ArtifactImage> image,
                                std::vector<ArtifactConstant> constants, const std::string& name) {
  // Loading imports may call this function again.
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
  auto node = Make<ArtifactModule>(std::move(image), std::move(constants));
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

// Borrows `constants`.
ElfLoadOptions LoadOptions(const ArtifactOptions& options,
                           const std::vector<ArtifactConstant>& constants) {
  ElfLoadOptions load;
  load.sources.push_back(
      {"the constants beside it", [&constants](const std::string& wanted) -> void* {
         for (const ArtifactConstant& constant : constants) {
           if (constant.symbol == wanted) return const_cast<char*>(constant.data.data());
         }
         return nullptr;
       }});
  load.sources.insert(load.sources.end(), options.libraries.begin(), options.libraries.end());
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

namespace {

// For `owner` see ReadArchive.
absl::StatusOr<Module> LoadArchive(std::string_view bytes, const std::string& name,
                                   const ArtifactOptions& options, const Ref<const Object>& owner) {
  LATHE_RETURN_IF_ERROR(CheckSeal(bytes, name, SealCheck::kCode));
  bytes = WithoutSeal(bytes);
  LATHE_ASSIGN_OR_RETURN(ArchiveContents archive, ReadArchive(bytes, name, owner));
  const bool has_constants = !archive.constants.empty();
  for (const ArtifactConstant& constant : options.constants) archive.constants.push_back(constant);
  std::vector<std::string> names;
  names.reserve(archive.objects.size());
  std::vector<ObjectBytes> objects;
  for (const TarEntry& entry : archive.objects) {
    names.push_back(absl::StrCat(name, "(", entry.name, ")"));
    objects.push_back({names.back(), entry.contents});
  }
  Pieces saved;
  saved.Borrow(bytes);
  if (has_constants) {
    LATHE_ASSIGN_OR_RETURN(saved, WriteTar(archive.objects));
  }
  LATHE_ASSIGN_OR_RETURN(
      std::unique_ptr<ArtifactImage> image,
      LoadElfImage(objects, LoadOptions(options, archive.constants), "tar", saved.Join()));
  return ModuleOf(std::move(image), std::move(archive.constants), name);
}

// An object; for `owner`, null if the bytes are to be copied, see LoadElfFile.
absl::StatusOr<Module> LoadObject(std::string_view bytes, const std::string& name,
                                  const ArtifactOptions& options, const Ref<const Object>& owner) {
  LATHE_RETURN_IF_ERROR(CheckSeal(bytes, name, SealCheck::kCode));
  bytes = WithoutSeal(bytes);
  const ObjectBytes object{name, bytes};
  const ElfLoadOptions load = LoadOptions(options, options.constants);
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactImage> image,
                         owner ? LoadElfFile(object, owner, load)
                               : LoadElfImage({object}, load, "elf", std::string(bytes)));
  return ModuleOf(std::move(image), options.constants, name);
}

}  // namespace

absl::StatusOr<Module> LoadArtifactBytes(std::string_view bytes, const std::string& name,
                                         const ArtifactOptions& options) {
  if (LooksLikeTar(bytes)) return LoadArchive(bytes, name, options, nullptr);
  if (!LooksLikeElf(bytes)) return UnknownKind(name);
  LATHE_ASSIGN_OR_RETURN(const ElfIdentity identity, ReadElfIdentity(bytes, name));
  if (identity.type == elf::kTypeRelocatable) return LoadObject(bytes, name, options, nullptr);
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactImage> image, OpenLibraryBytes(bytes, name));
  return ModuleOf(std::move(image), {}, name);
}

absl::StatusOr<Module> LoadArtifact(const std::string& path, const ArtifactOptions& options) {
  FileProblem problem;
  FileHandle file = OpenFile(path, &problem);
  std::string bytes;
  if (problem.ok()) problem = ReadStart(file, kTarBlock, &bytes);
  if (problem.ok() && LooksLikeElf(bytes)) {
    LATHE_ASSIGN_OR_RETURN(const ElfIdentity identity, ReadElfIdentity(bytes, path));
    if (identity.type != elf::kTypeRelocatable) {
      LATHE_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactImage> image,
                             OpenLibraryImage(std::move(file), path));
      return ModuleOf(std::move(image), {}, path);
    }
    LATHE_ASSIGN_OR_RETURN(const MappedFile mapped, MapFile(file, path));
    return LoadObject(mapped.bytes, path, options, mapped.owner);
  }
  if (problem.ok() && LooksLikeTar(bytes)) {
    LATHE_ASSIGN_OR_RETURN(const MappedFile mapped, MapFile(file, path));
    return LoadArchive(mapped.bytes, path, options, mapped.owner);
  }
  if (problem.ok()) problem = ReadFile(file, kAnySize, &bytes);
  if (problem.ok() && bytes.empty()) problem.text = "it is empty";
  if (!problem.ok()) {
    return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                      absl::StrCat("`", path, "` cannot be read: ", problem.text));
  }
  return LoadArtifactBytes(bytes, path, options);
}

absl::Status CheckArtifactFile(const std::string& path) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  if (!problem.ok()) {
    return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                      absl::StrCat("`", path, "` cannot be read: ", problem.text));
  }
  LATHE_ASSIGN_OR_RETURN(const MappedFile mapped, MapFile(file, path));
  if (!IsSealed(mapped.bytes)) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "artifact-no-digests",
                      absl::StrCat("`", path,
                                   "` states no digests to check it by: it was not written by "
                                   "`lathe compile` or `export_library`, was stripped, or is cut "
                                   "off; build or copy it again"));
  }
  return CheckSeal(mapped.bytes, path, SealCheck::kEverything);
}

absl::StatusOr<KernelEntry> FindKernelEntry(const Module& module, std::string_view name) {
  const auto* artifact = dynamic_cast<const ArtifactModule*>(module.get());
  KernelEntry out;
  if (artifact != nullptr) {
    out.call = artifact->FindEntry(name);
    out.metadata = artifact->metadata().FindFunction(name);
  }
  if (out.call != nullptr && out.metadata != nullptr && out.metadata->unchecked) return out;
  return MakeStatus(absl::StatusCode::kNotFound, "entry-not-found",
                    absl::StrCat("`", name,
                                 "` has no entry without checks; compile it with the option "
                                 "entries=2 (or 3, to have the checked one as well)"));
}

absl::StatusOr<ArtifactContents> ContentsOf(const Module& module) {
  if (const auto* artifact = dynamic_cast<const ArtifactModule*>(module.get()))
    return artifact->Contents();
  LATHE_ASSIGN_OR_RETURN(std::string bytes, module->Save());
  return ArtifactContents{module->kind(), std::move(bytes), {}};
}

void RegisterArtifactLibrary(SymbolSource library) {
  Libraries& libraries = GlobalLibraries();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  libraries.sources.push_back(std::move(library));
}

absl::StatusOr<Module> StaticArtifact(const lathe_artifact* artifact) {
  return ModuleOf(StaticImage(artifact), {}, "statically linked artefact");
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
    return RegisterGlobal("module.check_file",
                          Function::From([](std::string path) { return CheckArtifactFile(path); }));
  }());
  return *status;
}

}  // namespace lathe::runtime
