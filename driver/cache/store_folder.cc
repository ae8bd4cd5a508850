#include "driver/cache/store_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

constexpr std::string_view kSuffix = ".entry", kLibrarySuffix = ".so";

// Reads the key from a file's name; false if the name is no key with this suffix.
bool KeyOf(std::string_view name, std::string_view suffix, Digest* key) {
  if (name.size() != 32 + suffix.size() || !name.ends_with(suffix)) return false;
  const auto half = [&](size_t at, uint64_t* out) {
    const char* begin = name.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + 16, *out, 16);
    return error == std::errc() && end == begin + 16;
  };
  return half(0, &key->high) && half(16, &key->low) && key->ToString() == name.substr(0, 32);
}

}  // namespace

absl::Status Unwritable(const std::string& what, const std::string& why) {
  return MakeStatus(absl::StatusCode::kUnavailable, "cache-unwritable",
                    "nothing is kept in the compile cache: cannot write " + what + ": " + why +
                        "\n  expected: room and permission to write there\n  help: set "
                        "LATHE_CACHE_DIR to another folder, or LATHE_CACHE=0 to do without");
}

absl::Status Unsafe(const std::string& what, const Distrust& distrust) {
  return MakeStatus(absl::StatusCode::kPermissionDenied, "cache-folder-unsafe",
                    what + ": " + distrust.text +
                        "\n  expected: files and folders that nobody but you and root may write "
                        "to\n  help: " +
                        distrust.help + "; or set LATHE_CACHE_DIR to another folder");
}

std::string EntryPath(const std::string& folder, const Digest& key) {
  return folder + "/" + key.ToString() + std::string(kSuffix);
}

std::string LibraryPath(const std::string& folder, const Digest& key) {
  return folder + "/" + key.ToString() + std::string(kLibrarySuffix);
}

uint64_t EntryBytes(const std::string& folder, const Digest& key) {
  uint64_t bytes = 0;
  struct stat info{};
  if (stat(EntryPath(folder, key).c_str(), &info) != 0) return 0;
  bytes += static_cast<uint64_t>(info.st_size);
  if (stat(LibraryPath(folder, key).c_str(), &info) == 0)
    bytes += static_cast<uint64_t>(info.st_size);
  return bytes;
}

bool RemoveEntry(const std::string& folder, const Digest& key) {
  const bool removed = unlink(EntryPath(folder, key).c_str()) == 0;
  unlink(LibraryPath(folder, key).c_str());
  return removed;
}

absl::StatusOr<std::vector<FoundEntry>> ScanEntries(const std::string& folder,
                                                    std::time_t abandoned_before) {
  std::vector<FoundEntry> out, libraries;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) {
    if (errno == ENOENT) return out;
    return MakeStatus(absl::StatusCode::kUnavailable, "cache-unreadable",
                      "cannot read " + folder + ": " + std::strerror(errno) +
                          "\n  expected: a folder of yours\n  help: set LATHE_CACHE_DIR to one");
  }
  while (const dirent* item = readdir(directory)) {
    const std::string_view name = item->d_name;
    FoundEntry found;
    const bool unfinished = name.starts_with(NewFile::kPrefix);
    const bool library = KeyOf(name, kLibrarySuffix, &found.key);
    if (!unfinished && !library && !KeyOf(name, kSuffix, &found.key)) continue;
    struct stat info{};
    if (fstatat(dirfd(directory), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (unfinished) {
      if (info.st_mtim.tv_sec < abandoned_before) unlinkat(dirfd(directory), item->d_name, 0);
      continue;
    }
    found.bytes = static_cast<uint64_t>(info.st_size);
    found.used = info.st_mtim;
    (library ? libraries : out).push_back(found);
  }
  closedir(directory);
  std::unordered_map<std::string, FoundEntry*> entries;
  for (FoundEntry& entry : out) entries[entry.key.ToString()] = &entry;
  for (const FoundEntry& library : libraries) {
    const auto entry = entries.find(library.key.ToString());
    if (entry != entries.end()) {
      entry->second->bytes += library.bytes;
    } else if (library.used.tv_sec < abandoned_before) {
      unlink(LibraryPath(folder, library.key).c_str());
    }
  }
  return out;
}

bool UsedBefore(const FoundEntry& a, const FoundEntry& b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                        : a.used.tv_nsec < b.used.tv_nsec;
}

}  // namespace lathe::driver
