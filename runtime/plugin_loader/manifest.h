// Manifest: the description of a plugin, read from its file without loading it.
//
//   {
//     "lathe": 1,              version of this format
//     "name": "acme", "version": "1.2", "doc": "The Acme accelerator",
//     "fork": true,            works on in a process that is forked off after it was loaded
//     "abi": [1, 1],           lowest and highest major version of the plugin interface it supports
//     "devices": [{"kind": "acme", "dlpack": 0, "doc": "..."}],
//     "modules": [{"kind": "acme", "serial": false, "doc": "..."}],
//     "targets": [{"kind": "acme", ...}]           see target/target_schema.h
//   }
//
// All members except "lathe", "name", "version" and "abi" may be left out. Unknown members are
// errors, because a misspelt member would otherwise be ignored without notice.
// docs/guides/adding_a_backend.md has the whole format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/json.h"

namespace lathe::runtime {

inline constexpr int kManifestVersion = 1;
inline constexpr uint64_t kMaxManifestBytes = 1 << 20;

struct ManifestDevice {
  std::string kind;
  int32_t dlpack = 0;  // the kind's DLPack code; 0: derived from the name (runtime/device.h)
  std::string doc;
};

struct ManifestModule {
  std::string kind;
  bool serial = false;  // calls of one module must not overlap
  std::string doc;
};

struct Manifest {
  std::string name;
  std::string version;
  std::string doc;
  bool survives_forks = false;
  int abi_lowest = 0;
  int abi_highest = 0;
  std::vector<ManifestDevice> devices;
  std::vector<ManifestModule> modules;
  std::vector<std::string> target_kinds;
  Json targets = Json::Array();  // one object per target, in the order of target_kinds; checked by
                                 // plugins/host
  std::string text;              // the document itself
  uint16_t elf_machine = 0;      // of the file; 0 if read from a text

  // Fails with `manifest-malformed`, which names the member and the expected value. Time and memory
  // are bounded for any text.
  static absl::StatusOr<Manifest> Parse(std::string_view text);
};

// Reads the manifest in a shared library, which may be for another processor. Fails with
// `plugin-no-manifest`, `manifest-malformed`, `elf-malformed` or `file-unreadable`.
absl::StatusOr<Manifest> ReadManifest(const std::string& path);
// The same for a library in memory.
absl::StatusOr<Manifest> ReadManifestFromBytes(std::string_view library);

}  // namespace lathe::runtime
