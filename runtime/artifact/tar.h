// Reads tar archives (POSIX.1-1988 ustar): a limited subset, enough for object files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::runtime {

struct TarEntry {
  std::string name;           // a plain relative path; see IsPlainEntryName
  std::string_view contents;  // views the archive
};

inline constexpr size_t kTarBlock = 512;
inline constexpr size_t kMaxTarEntries = 65536;
inline constexpr size_t kMaxTarName = 100;  // bytes a writer may use

// True if `bytes` start with a tar header.
bool LooksLikeTar(std::string_view bytes);

// True if a name is allowed in an archive: relative, not empty, without `..`, `.`, empty
// components, backslashes or control characters, so that it stays within any folder into which it
// is unpacked.
bool IsPlainEntryName(std::string_view name);

// The regular files in order; folders are skipped. Names are unique. Fails with `artifact-corrupt`
// for damaged archives, and with `artifact-unsupported` for links, devices and the extensions for
// long names.
absl::StatusOr<std::vector<TarEntry>> ReadTar(std::string_view bytes, std::string_view name);

}  // namespace lathe::runtime
