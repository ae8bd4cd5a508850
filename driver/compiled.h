// The result of compiling: code, and the constants that it refers to but does not hold.
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
// LATHE_CONSTANT_PREFIX, followed by the digest.
std::string SymbolOf(const Blob& data);
// The blob of that symbol, if it is alive in this process. Null if there is none, or if the symbol
// is not a constant's.
Ref<const Blob> FindBySymbol(std::string_view symbol);

// Thread-safe as long as nobody changes it. Copies share the constants.
struct Compiled {
  std::string bytes;
  std::string module_kind;                // its loader: "module.load.<kind>"
  std::vector<SymbolConstant> constants;  // only for kind "elf"
};

// The constants in the form for artefacts. Each keeps its data alive.
std::vector<runtime::ArtifactConstant> ArtifactConstantsOf(const Compiled& compiled);
// Loads the code into this process. The module keeps the constants alive; they are not copied. Code
// for another machine becomes a module that can be exported, but not called
// (driver/foreign_module.h).
// Fails as runtime::LoadModuleBytes does.
absl::StatusOr<runtime::Module> Load(const Compiled& compiled);

}  // namespace lathe::driver
