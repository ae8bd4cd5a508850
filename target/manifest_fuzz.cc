// Any bytes in a library's manifest section, or instead of a library, give a result or an error.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/plugin_loader/manifest.h"
#include "target/target.h"
#include "target/target_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lathe::target::TargetSchema;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(lathe::runtime::ReadManifestFromBytes(bytes));
  const auto manifest = lathe::runtime::Manifest::Parse(bytes);
  if (!manifest.ok()) return 0;
  const auto schemas = lathe::target::ReadTargetSchemas(*manifest);
  if (!schemas.ok()) return 0;
  for (const TargetSchema& schema : *schemas) {
    // A target without attributes is always valid, and prints to a text that parses.
    const auto shared = std::make_shared<TargetSchema>(schema);
    try {
      const auto target = lathe::target::ParseTargetWith(schema.kind, shared, "fuzz");
      lathe::target::ParseTargetWith(target.ToString(), shared, "fuzz");
    } catch (const lathe::Error&) {
      // The default of some attribute is outside its own range.
    }
  }
  return 0;
}
