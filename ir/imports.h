// Imports: sources that a function brings for its code generator. The pragmas import_LANGUAGE
// (schedule/primitives/pragma.h) attach them.
//
// An import is not part of the statements. It is a string attribute `import_LANGUAGE.N` of a Func
// (as the lowering of a schedule leaves it) or of a Module (GatherImports). So it is printed,
// parsed, encoded and compared like all other attributes, and plugins get it in the binary form of
// the module. The code generator decides what the source means. Code calls what a source defines
// with call_extern or call_pure_extern. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace lathe::ir {

struct Import {
  std::string language;  // "llvm", "c"
  std::string source;
  bool operator==(const Import&) const = default;
};

// The imports in `attrs` (of a Func or a Module), sorted by language and number. Throws Error
// "import-malformed" for an attribute that begins with `import_` but is not an import.
std::vector<Import> ImportsIn(const Dict& attrs);
// The sources of one language.
std::vector<std::string> ImportsOf(const Dict& attrs, std::string_view language);
// Adds an import after the others of its language. Does nothing if it is already there.
void AddImport(Dict* attrs, const Import& import);
Dict WithoutImports(Dict attrs);

// Moves the imports of the functions to the module: each once, in the order of the functions.
// Returns the same pointer if no function has imports. Call it before passes that split functions.
Module GatherImports(const Module& module);

}  // namespace lathe::ir
