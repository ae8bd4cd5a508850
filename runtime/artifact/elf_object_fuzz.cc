// Fuzzes objects: any bytes are read, linked for the machine that they name, and loaded if it is
// this machine. No loaded code is run.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/artifact/elf_linker.h"
#include "runtime/artifact/elf_object.h"
#include "runtime/artifact/elf_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr uint64_t kMaxImageBytes = 4 << 20;
  std::vector<ElfObject> objects;
  absl::StatusOr<ElfObject> object = ReadElfObject(bytes, "fuzzed");
  if (object.ok()) {
    objects.push_back(*std::move(object));
    LinkOptions options;
    options.max_image_bytes = kMaxImageBytes;
    (void)LinkObjects(objects, options);
    options.branch_reach = 64;
    (void)LinkObjects(objects, options);
  }
  ElfLoadOptions options;
  options.max_image_bytes = kMaxImageBytes;
  // Every symbol is found, so that loading does not stop early.
  options.sources = {{"anything", [](const std::string&) -> void* {
                        static int there;
                        return &there;
                      }}};
  for (const bool in_place : {false, true}) {
    options.constants_in_place = in_place;
    (void)LoadedElf::Load({ObjectBytes{"fuzzed", bytes}}, options);
  }
  return 0;
}
