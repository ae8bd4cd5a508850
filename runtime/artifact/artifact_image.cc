#include "runtime/artifact/artifact_image.h"

#include <utility>

#include "runtime/status.h"

namespace lathe::runtime {
namespace {

class ElfImage : public ArtifactImage {
 public:
  ElfImage(std::unique_ptr<LoadedElf> elf, std::string kind, std::string saved)
      : elf_(std::move(elf)), kind_(std::move(kind)), copy_(std::move(saved)), saved_(copy_) {}
  // `owner` keeps `saved`.
  ElfImage(std::unique_ptr<LoadedElf> elf, std::string_view saved, Ref<const Object> owner)
      : owner_(std::move(owner)), elf_(std::move(elf)), kind_("elf"), saved_(saved) {}

  const lathe_artifact* artifact() const override {
    return static_cast<const lathe_artifact*>(elf_->Find(LATHE_ARTIFACT_SYMBOL));
  }
  bool Contains(const void* data, uint64_t bytes, Access access) const override {
    switch (access) {
      case Access::kRead:
        return elf_->Contains(data, bytes);
      case Access::kWrite:
        return elf_->ContainsWritable(data, bytes);
      case Access::kExecute:
        return elf_->ContainsCode(data);
    }
    return false;
  }
  std::string_view kind() const override { return kind_; }
  absl::StatusOr<std::string> Save() const override { return std::string(saved_); }
  const void* begin() const override { return elf_->begin(); }
  const void* end() const override { return elf_->end(); }

 private:
  Ref<const Object> owner_;  // of constants and `saved_`; null if there is a copy
  std::unique_ptr<LoadedElf> elf_;
  std::string kind_;
  std::string copy_;
  std::string_view saved_;
};

class StaticallyLinked : public ArtifactImage {
 public:
  explicit StaticallyLinked(const lathe_artifact* artifact) : artifact_(artifact) {}

  const lathe_artifact* artifact() const override { return artifact_; }
  // The program's own linker placed the data, so every address is accepted.
  bool Contains(const void* data, uint64_t, Access) const override { return data != nullptr; }
  std::string_view kind() const override { return "static"; }
  absl::StatusOr<std::string> Save() const override {
    return MakeStatus(absl::StatusCode::kUnimplemented, "module-not-saveable",
                      "an artefact that is linked into the program cannot be saved: save the "
                      "module it was exported from");
  }
  // The bounds of the image are not known.
  const void* begin() const override { return nullptr; }
  const void* end() const override { return nullptr; }

 private:
  const lathe_artifact* artifact_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ArtifactImage>> LoadElfImage(absl::Span<const ObjectBytes> objects,
                                                            const ElfLoadOptions& options,
                                                            std::string kind, std::string saved) {
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<LoadedElf> elf, LoadedElf::Load(objects, options));
  return std::make_unique<ElfImage>(std::move(elf), std::move(kind), std::move(saved));
}

absl::StatusOr<std::unique_ptr<ArtifactImage>> LoadElfFile(const ObjectBytes& object,
                                                           Ref<const Object> owner,
                                                           ElfLoadOptions options) {
  options.constants_in_place = true;
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<LoadedElf> elf, LoadedElf::Load({object}, options));
  if (elf->uses_bytes())
    return std::make_unique<ElfImage>(std::move(elf), object.bytes, std::move(owner));
  return std::make_unique<ElfImage>(std::move(elf), "elf", std::string(object.bytes));
}

std::unique_ptr<ArtifactImage> StaticImage(const lathe_artifact* artifact) {
  return std::make_unique<StaticallyLinked>(artifact);
}

}  // namespace lathe::runtime
