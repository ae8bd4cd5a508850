#include "driver/compiled.h"

#include <string_view>

#include "driver/foreign_module.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/status.h"

namespace lathe::driver {

std::string SymbolOf(const Blob& data) { return LATHE_CONSTANT_PREFIX + data.digest().ToString(); }

Ref<const Blob> FindBySymbol(std::string_view symbol) {
  constexpr std::string_view kPrefix = LATHE_CONSTANT_PREFIX;
  Digest digest;
  if (!symbol.starts_with(kPrefix) || !Digest::Parse(symbol.substr(kPrefix.size()), &digest))
    return nullptr;
  return Blob::Find(digest);
}

std::vector<runtime::ArtifactConstant> ArtifactConstantsOf(const Compiled& compiled) {
  std::vector<runtime::ArtifactConstant> out;
  out.reserve(compiled.constants.size());
  for (const SymbolConstant& constant : compiled.constants) {
    out.push_back({constant.symbol, constant.data->bytes(), constant.data});
  }
  return out;
}

absl::StatusOr<runtime::Module> Load(const Compiled& compiled) {
  absl::StatusOr<runtime::Module> loaded = [&]() -> absl::StatusOr<runtime::Module> {
    if (compiled.constants.empty())
      return runtime::LoadModuleBytes(compiled.module_kind, compiled.bytes);
    runtime::ArtifactOptions options;
    options.constants = ArtifactConstantsOf(compiled);
    return runtime::LoadArtifactBytes(compiled.bytes, "compiled code", options);
  }();
  if (loaded.ok() || runtime::StatusName(loaded.status()) != "artifact-machine") return loaded;
  return MakeForeignModule(compiled, loaded.status());
}

}  // namespace lathe::driver
