// CacheStore: entries on disk by 128-bit keys, shared by all processes of one user.
//
// An entry is one file, written beside its place, brought to disk and then renamed: readers see all
// of it or nothing, also after a crash. Readers take no lock. What is read is checked (format, key,
// digest); a damaged entry counts as none, and is reported and removed. Writers keep the total of
// all entries in one small file, under a lock that the system drops with its process; where the
// total passes the limit, entries that were not used for longest go until a tenth of it is free.
//
// Entries hold code that will run, so nobody but the user and root may have written them, by the
// rule of base/trusted_file.h. No failure here is one of the caller's work: it computes what it did
// not find. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/file.h"

namespace lathe::driver {

struct CacheEntry {
  std::string kind;   // what `bytes` are; at most 64 bytes
  std::string label;  // for people; cut off after 200 bytes
  std::string bytes;
};

// What a listing says of an entry.
struct CacheItem {
  Digest key;
  std::string kind, label;
  uint64_t file_bytes = 0;
  std::time_t last_used = 0;
};

struct CacheOptions {
  std::string folder;                      // "": there is no cache
  uint64_t max_bytes = uint64_t{1} << 30;  // of all entries together
  std::string refused = {};                // why there is no folder though one was named

  // $LATHE_CACHE_DIR, $XDG_CACHE_HOME/lathe or $HOME/.cache/lathe, with "/compiled" behind;
  // LATHE_CACHE_BYTES says max_bytes ("500M", "2G"). No folder where LATHE_CACHE is 0, and under a
  // test runner (TEST_TMPDIR is set) unless LATHE_CACHE_DIR is set: tests share nothing;
  // and where the path does not begin at the root, which `refused` says. Throws Error "cache-size".
  static CacheOptions FromEnvironment();
};

class CacheStore {
 public:
  // `report` is told what went wrong, once per kind of trouble, and at once of a refused folder
  // (`cache-folder-relative`); null: standard error.
  using Report = std::function<void(const absl::Status&)>;
  explicit CacheStore(CacheOptions options, Report report = nullptr);

  bool enabled() const { return !options_.folder.empty(); }
  const CacheOptions& options() const { return options_; }

  // Nothing where there is no such entry, or none that can be read: `cache-entry-damaged`,
  // `cache-unreadable` and `cache-folder-unsafe` are reported. Marks the entry as used now.
  std::optional<CacheEntry> Find(const Digest& key);
  // Fails, and reports, with `cache-unwritable` and `cache-folder-unsafe`. An entry of more than
  // half the limit is not kept (OK).
  absl::Status Put(const Digest& key, const CacheEntry& entry);

  // All entries, those used last first; damaged ones of kind "damaged".
  absl::StatusOr<std::vector<CacheItem>> List();
  // Removes all entries, and what unfinished writers left. Gives the bytes freed.
  absl::StatusOr<uint64_t> Clear();
  struct Verified {
    size_t whole = 0;
    std::vector<std::string> damaged;  // paths, removed
  };
  // Reads every entry; removes and reports damaged ones.
  absl::StatusOr<Verified> Verify();

  std::string PathOf(const Digest& key) const;

 private:
  struct Usage;
  absl::Status Complain(absl::Status status);
  absl::Status Prepare();
  absl::Status Commit(NewFile* file, const std::string& path, uint64_t bytes);
  uint64_t Trim(uint64_t limit);

  CacheOptions options_;
  Report report_;
  std::atomic<unsigned> reported_{0};
};

}  // namespace lathe::driver
