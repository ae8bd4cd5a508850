// Sources that functions bring along for their code generator: what the pragmas import_LANGUAGE
// (schedule/primitives/pragma.h) attach.
//
// An import travels beside the statements, as attribute `import_LANGUAGE.N` of a Func (as a
// schedule's lowering leaves it) or of a Module (GatherImports), a string. So it is printed,
// parsed, encoded and compared with everything else, and crosses a plugin's border in the module's
// binary form. What the source means is the code generator's to say; calls of what it defines are
// call_extern or call_pure_extern. Pure functions; thread-safe.
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

// Those that `attrs` (a Func's or a Module's) name, by language and number. Throws Error
// "import-malformed" for an attribute that begins with `import_` and is none.
std::vector<Import> ImportsIn(const Dict& attrs);
// The sources of one language.
std::vector<std::string> ImportsOf(const Dict& attrs, std::string_view language);
// Adds one behind those of its language; nothing where it is there already.
void AddImport(Dict* attrs, const Import& import);
Dict WithoutImports(Dict attrs);

// The functions' imports as the module's, each once, in the order of the functions. The same
// pointer where no function has any. Before passes that make functions of parts of others.
Module GatherImports(const Module& module);

}  // namespace lathe::ir
