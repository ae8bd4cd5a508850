// CacheStore: entries on disk by 128-bit keys, shared by all processes of one user.
//
// An entry is one file, with a library beside it if it has one. It is written next to its final
// place, flushed to disk and then renamed: readers see all of it or nothing, even after a crash.
// Readers take no lock. Each read checks format, key and digest; a damaged entry counts as missing,
// and is reported and removed. Writers keep the total size of all entries in a small file, under a
// lock that the system releases when the process ends. If the total exceeds the limit, the entries
// that were not used for the longest time are removed until a tenth of the limit is free.
//
// Entries hold code that will run, so only the user and root may be able to write them, by the rule
// of base/trusted_file.h. A failure here never makes the caller fail: the caller computes what it
// did not find. Thread-safe.
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
  std::string kind;   // what `bytes` contains; at most 64 bytes
  std::string label;  // for people; cut off after 200 bytes
  std::string bytes;
};

// An entry in a listing.
struct CacheItem {
  Digest key;
  std::string kind, label;
  uint64_t file_bytes = 0;  // of all its files
  std::time_t last_used = 0;
  bool has_library = false;  // or should have one: PutWithLibrary made it
};

struct CacheOptions {
  std::string folder;                      // "": there is no cache
  uint64_t max_bytes = uint64_t{1} << 30;  // limit for all entries together
  std::string refused = {};                // why there is no folder although one was named

  // The folder is $LATHE_CACHE_DIR, $XDG_CACHE_HOME/lathe or $HOME/.cache/lathe, with "/compiled"
  // appended. There is no folder if LATHE_CACHE is 0, if the path is relative (`refused` says so),
  // or under a test runner (TEST_TMPDIR is set) without LATHE_CACHE_DIR, because tests share
  // nothing. LATHE_CACHE_BYTES gives max_bytes ("500M", "2G"). Throws Error "cache-size" if that is
  // not a size.
  static CacheOptions FromEnvironment();
};

class CacheStore {
 public:
  // `report` receives problems: damaged entries each time, other kinds once. If options.refused is
  // set, the constructor reports `cache-folder-relative`. Null: report to standard error.
  using Report = std::function<void(const absl::Status&)>;
  explicit CacheStore(CacheOptions options, Report report = nullptr);

  bool enabled() const { return !options_.folder.empty(); }
  const CacheOptions& options() const { return options_; }

  // Returns nothing if there is no such entry, or if it cannot be read. Reports
  // `cache-entry-damaged`, `cache-unreadable` and `cache-folder-unsafe`. Marks the entry as used
  // now.
  std::optional<CacheEntry> Find(const Digest& key);
  // Fails with `cache-unwritable` and `cache-folder-unsafe`, and reports them too. Does not keep an
  // entry of more than half the limit (OK).
  absl::Status Put(const Digest& key, const CacheEntry& entry);

  // An entry may have a library: a sealed artefact that is too large to be read at each use, and is
  // loaded from its place. `write` writes it to the path that it is given, which ends in ".so"; a
  // failure of `write` is reported as `cache-unwritable`. Fails as Put does.
  absl::Status PutWithLibrary(const Digest& key, const CacheEntry& entry,
                              const std::function<absl::Status(const std::string& path)>& write);
  // The path of the library of this entry, after all its bytes were checked. Returns nothing, and
  // reports, as Find does; an entry without its library is removed.
  std::optional<std::string> FindLibrary(const Digest& key);

  // All entries, the last used first. Damaged entries have the kind "damaged".
  absl::StatusOr<std::vector<CacheItem>> List();
  // Removes all entries, and files that unfinished writers left. Returns how many bytes were freed.
  absl::StatusOr<uint64_t> Clear();
  struct Verified {
    size_t whole = 0;
    std::vector<std::string> damaged;  // paths, removed
  };
  // Reads every entry and removes the damaged ones.
  absl::StatusOr<Verified> Verify();

  std::string PathOf(const Digest& key) const;

 private:
  struct Usage;
  absl::Status Complain(absl::Status status);
  absl::Status Prepare();
  absl::Status Commit(NewFile* file, const Digest& key, const std::string& library, uint64_t bytes);
  // A file of an entry. Not open if that fails, which `problem` says, or if others could have
  // written it, which is reported here.
  FileHandle OpenTrusted(const std::string& path, FileProblem* problem);
  void Discard(const Digest& key, const std::string& path, const std::string& reason);
  uint64_t Trim(uint64_t limit);

  CacheOptions options_;
  Report report_;
  std::atomic<unsigned> reported_{0};
};

}  // namespace lathe::driver
