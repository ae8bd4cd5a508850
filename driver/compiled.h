// What compiling gives: code, and the constants that it refers to and does not hold.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/blob.h"
#include "base/object.h"
#include "runtime/artifact/symbol_source.h"
#include "runtime/module.h"

namespace lathe::driver {

struct SymbolConstant {
  std::string symbol;  // SymbolOf(data)
  Ref<const Blob> data;
};
// LATHE_CONSTANT_PREFIX and the digest.
std::string SymbolOf(const Blob& data);
// The living blob of a symbol; null where there is none, or where the symbol is no constant's.
Ref<const Blob> FindBySymbol(std::string_view symbol);

// Thread-safe while nobody changes it. Copying shares the constants.
struct Compiled {
  std::string bytes;
  std::string module_kind;                // who loads it: "module.load.<kind>"
  std::vector<SymbolConstant> constants;  // with kind "elf" alone
};

// The constants as artefacts take them; each keeps its data.
std::vector<runtime::ArtifactConstant> ArtifactConstantsOf(const Compiled& compiled);
// Loaded into this process; the module keeps the constants, which are not copied. Fails as
// runtime::LoadModuleBytes does.
absl::StatusOr<runtime::Module> Load(const Compiled& compiled);

}  // namespace lathe::driver
