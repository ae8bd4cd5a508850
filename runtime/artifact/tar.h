// Reads tar archives (POSIX.1-1988 ustar): a bounded subset, enough for a set of object files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::runtime {

struct TarEntry {
  std::string name;           // relative, of plain components; see IsPlainEntryName
  std::string_view contents;  // views the archive
};

inline constexpr size_t kTarBlock = 512;
inline constexpr size_t kMaxTarEntries = 65536;
inline constexpr size_t kMaxTarName = 100;  // bytes a writer may use

// True where `bytes` start with a tar header.
bool LooksLikeTar(std::string_view bytes);

// Whether a name may stand in an archive: relative, not empty, without `..`, `.`, empty components,
// backslashes or control characters, so that it stays within whatever folder somebody unpacks into.
bool IsPlainEntryName(std::string_view name);

// The regular files in order; folders are passed over. Fails with `artifact-corrupt` for anything
// damaged, and with `artifact-unsupported` for links, devices and the extensions for long names.
// Names are unique.
absl::StatusOr<std::vector<TarEntry>> ReadTar(std::string_view bytes, std::string_view name);

}  // namespace lathe::runtime
