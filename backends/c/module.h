// Modules of kind "c": C that was not compiled, because there was no C compiler. They can be read
// and saved; a call of a function says what is missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/module.h"

namespace lathe::c_backend {

struct SourceModule {
  std::string source;
  std::string metadata;  // JSON, or ""
  std::string cc;        // the compiler that the target names, or ""
  std::vector<std::string> functions;

  std::string Save() const;
  // Any bytes give a SourceModule or an Error (`module-damaged`).
  static SourceModule Load(std::string_view bytes);
};

std::unique_ptr<sdk::ModuleNode> LoadSourceModule(std::string_view bytes);
// Tells the host to compile again where there is a C compiler now: the module may come from the
// compile cache.
sdk::ProbeResult ProbeSourceModule(std::string_view bytes);

}  // namespace lathe::c_backend
