// Manifest: what a plugin says about itself, read from its file without loading it.
//
//   {
//     "lathe": 1,              version of this format
//     "name": "acme", "version": "1.2", "doc": "The Acme accelerator",
//     "fork": true,            works on in a process that is forked off after it was loaded
//     "abi": [1, 1],           lowest and highest major version of the door that it serves
//     "devices": [{"kind": "acme", "dlpack": 0, "doc": "..."}],
//     "modules": [{"kind": "acme", "serial": false, "doc": "..."}],
//     "targets": [{"kind": "acme", ...}]           see target/target_schema.h
//   }
//
// All members but "lathe", "name", "version" and "abi" may be left out. Unknown members are errors:
// a misspelt one would otherwise be a setting that silently does nothing.
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
  int32_t dlpack = 0;  // DLPack's code of the kind; 0: derived from the name (runtime/device.h)
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
  uint16_t elf_machine = 0;      // of the file it was read from; 0 for a text

  // Fails with `manifest-malformed`, naming the member and what it should be. Bounded; any text is
  // fine.
  static absl::StatusOr<Manifest> Parse(std::string_view text);
};

// The manifest in a shared library, also one for another processor. Fails with
// `plugin-no-manifest`, `manifest-malformed`, `elf-malformed` or `file-unreadable`.
absl::StatusOr<Manifest> ReadManifest(const std::string& path);
// The same for a library in memory.
absl::StatusOr<Manifest> ReadManifestFromBytes(std::string_view library);

}  // namespace lathe::runtime
