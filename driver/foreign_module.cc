#include "driver/foreign_module.h"

#include <algorithm>
#include <utility>

#include "driver/link/merge_objects.h"
#include "driver/read_artifact.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

class ForeignModule final : public runtime::ModuleNode {
 public:
  ForeignModule(Compiled compiled, runtime::Metadata metadata, absl::Status why)
      : compiled_(std::move(compiled)), metadata_(std::move(metadata)), why_(std::move(why)) {}

  std::string_view kind() const override { return compiled_.module_kind; }
  runtime::Function GetFunction(std::string_view name) override {
    const bool known = std::ranges::any_of(
        metadata_.functions, [&](const auto& function) { return function.name == name; });
    if (!known) return nullptr;
    return runtime::Function::From(
        [why = why_](const runtime::Args&, runtime::Value*) { runtime::ThrowStatus(why); },
        std::string(name));
  }
  std::vector<std::string> FunctionNames() const override {
    std::vector<std::string> names;
    for (const runtime::FunctionMetadata& function : metadata_.functions)
      names.push_back(function.name);
    return names;
  }
  // Saved code has its constants inside.
  absl::StatusOr<std::string> Save() const override {
    if (compiled_.constants.empty()) return compiled_.bytes;
    const std::vector<runtime::ArtifactConstant> constants = ArtifactConstantsOf(compiled_);
    const runtime::ObjectBytes objects[] = {{"compiled code", compiled_.bytes}};
    MergeOptions options;
    options.constants = constants;
    LATHE_ASSIGN_OR_RETURN(const Pieces merged, MergeArtifacts(objects, options));
    return merged.Join();
  }
  const runtime::Metadata& metadata() const override { return metadata_; }
  const Compiled& compiled() const { return compiled_; }

 private:
  const Compiled compiled_;
  const runtime::Metadata metadata_;
  const absl::Status why_;
};

}  // namespace

absl::StatusOr<runtime::Module> MakeForeignModule(const Compiled& compiled,
                                                  const absl::Status& why) {
  std::string bytes = compiled.bytes;
  TakeImports(&bytes);
  LATHE_ASSIGN_OR_RETURN(runtime::Metadata metadata, FindMetadata(bytes, "compiled code"));
  const absl::Status error =
      runtime::MakeStatus(why.code(), "artifact-machine",
                          std::string(runtime::StatusText(why)) +
                              "\n  help: export the module, and load the file on that machine");
  return runtime::Module(Make<ForeignModule>(compiled, std::move(metadata), error));
}

const Compiled* ForeignCode(const runtime::Module& module) {
  const auto* foreign = dynamic_cast<const ForeignModule*>(module.get());
  return foreign == nullptr ? nullptr : &foreign->compiled();
}

}  // namespace lathe::driver
