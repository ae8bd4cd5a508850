// IR as bytes that were written once and are kept: what plugins built then must be given for as
// long as hosts write that version, and plugins that state the version must read.
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

// Which form a target reads.
std::string_view GoldenFormOf(const target::TargetSchema& schema);

// Writes the goldens of the plugin's first target into a folder, FORM-PROGRAM.bin each; an exit
// code. Done once for each version of the binary form: files that are kept never change
// (goldens_test).
int WriteGoldens(const std::string& folder, const std::string& plugin);

}  // namespace lathe::kit
