// IR in its binary form, written once and kept. As long as hosts write a version of the form, they
// must give these bytes to plugins built for it. Plugins that state the version must read them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "target/target_schema.h"

namespace lathe::kit {

struct Golden {
  const char*
      form;  // "tile", "flat", or "kernels" (flat, functions of calling convention "kernel")
  const char* program;  // "scale", "matmul"
  int version;          // of the binary form
  std::string_view bytes;
};
std::span<const Golden> Goldens();

// The form that a target reads.
std::string_view GoldenFormOf(const target::TargetSchema& schema);

// Writes the goldens of the plugin's first target into a folder, as FORM-PROGRAM.bin. Returns an
// exit code. Done once for each version of the binary form: kept files never change (goldens_test).
int WriteGoldens(const std::string& folder, const std::string& plugin);

}  // namespace lathe::kit
