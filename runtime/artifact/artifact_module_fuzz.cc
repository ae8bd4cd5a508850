// Fuzzes artefacts: any bytes as an object or an archive of objects whose tables and metadata are
// then read. Shared libraries are left out: the dynamic linker reads them, and it trusts its input.
// No loaded code is run.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/artifact/artifact_module.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/elf_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  static const bool registered = RegisterArtifactLoaders().ok();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!registered || size > 1 << 20) return 0;
  if (LooksLikeElf(bytes)) {
    const auto identity = ReadElfIdentity(bytes, "fuzzed");
    if (!identity.ok() || identity->type != elf::kTypeRelocatable) return 0;
  }
  ArtifactOptions options;
  options.libraries = {{"anything", [](const std::string&) -> void* {
                          static int there;
                          return &there;
                        }}};
  (void)LoadArtifactBytes(bytes, "fuzzed", options);
  return 0;
}
