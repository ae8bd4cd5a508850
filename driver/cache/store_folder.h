// The folder of a CacheStore: the names of its files, and errors about them.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/trusted_file.h"

namespace lathe::driver {

// A writer that has worked for longer than this has died.
inline constexpr std::time_t kAbandonedSeconds = 3600;

// An entry whose file was not read.
struct FoundEntry {
  Digest key;
  uint64_t bytes = 0;  // with those of its library
  timespec used{};
};

std::string EntryPath(const std::string& folder, const Digest& key);
// The file of the entry's library, if it has one.
std::string LibraryPath(const std::string& folder, const Digest& key);
// The bytes of the entry's files; 0 if there is none.
uint64_t EntryBytes(const std::string& folder, const Digest& key);
// Removes an entry's files. False if there was none.
bool RemoveEntry(const std::string& folder, const Digest& key);
// The entries in the folder. Removes files that unfinished writers left before `abandoned_before`,
// and libraries without an entry. Fails with `cache-unreadable`.
absl::StatusOr<std::vector<FoundEntry>> ScanEntries(const std::string& folder,
                                                    std::time_t abandoned_before);
bool UsedBefore(const FoundEntry& a, const FoundEntry& b);

// `cache-unwritable`, `cache-folder-unsafe`; `what` names the file.
absl::Status Unwritable(const std::string& what, const std::string& why);
absl::Status Unsafe(const std::string& what, const Distrust& distrust);

}  // namespace lathe::driver
