// Any bytes as a shared library, up to the point where the dynamic linker takes over, and any bytes
// with a seal.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/pieces.h"
#include "runtime/artifact/artifact_image.h"
#include "runtime/artifact/seal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckLibrary(bytes, "fuzzed").IgnoreError();
  CheckSeal(bytes, "fuzzed", SealCheck::kEverything).IgnoreError();
  LATHE_CHECK(WithoutSeal(bytes).size() <= size);
  const lathe::Pieces contents{std::string(bytes)};
  const std::string sealed = std::string(bytes) + SealOf(contents, {});
  LATHE_CHECK(IsSealed(sealed) && WithoutSeal(sealed) == bytes);
  LATHE_CHECK(CheckSeal(sealed, "sealed", SealCheck::kEverything).ok());
  CheckLibrary(sealed, "sealed").IgnoreError();
  return 0;
}
