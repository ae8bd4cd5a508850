#include "driver/cache/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/trusted_file.h"
#include "driver/cache/entry_file.h"
#include "driver/cache/store_folder.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/artifact/bytes.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 31;

uint64_t ParseSize(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || value > (uint64_t{1} << 40)) {
    throw Error(Diagnostic{.name = "cache-size",
                           .message = "LATHE_CACHE_BYTES does not say a size",
                           .expected = "a number of bytes, with K, M or G behind it or not",
                           .found = "`" + text + "`",
                           .help = "for example LATHE_CACHE_BYTES=500M"});
  }
  return value << shift;
}

// Stands behind the kind of an entry with a library in its file.
constexpr std::string_view kLibraryMark = " with library";

// Takes the mark off. Was it there?
bool TakeLibraryMark(std::string* kind) {
  if (!kind->ends_with(kLibraryMark)) return false;
  kind->resize(kind->size() - kLibraryMark.size());
  return true;
}

}  // namespace

CacheOptions CacheOptions::FromEnvironment() {
  const auto variable = [](const char* name) {
    const char* value = secure_getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  CacheOptions options;
  if (const std::string size = variable("LATHE_CACHE_BYTES"); !size.empty())
    options.max_bytes = ParseSize(size);
  const bool in_test = !variable("TEST_TMPDIR").empty() && variable("LATHE_CACHE_DIR").empty();
  if (variable("LATHE_CACHE") == "0" || in_test) return options;
  const CachePlace place = FindCachePlace();
  if (!place.folder.empty()) options.folder = place.folder + "/compiled";
  options.refused = place.refused;
  return options;
}

// A file with the total size of all entries. It is locked as long as this object lives.
struct CacheStore::Usage {
  explicit Usage(const std::string& folder)
      : file(Uninterrupted([&] {
          constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
          return open((folder + "/usage").c_str(), kFlags, 0600);
        })) {
    // Holders of the lock need milliseconds at most: the longest work is to remove large files. If
    // one of them was suspended, others must not wait for ever.
    for (int attempt = 0; file.is_open() && attempt < 200; ++attempt) {
      if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
        locked = true;
        return;
      }
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      usleep(1000);
    }
  }
  // Returns nothing if the file is new or damaged. Then the entries must be counted.
  std::optional<uint64_t> Read() const {
    char raw[16];
    size_t got = 0;
    if (lseek(file.get(), 0, SEEK_SET) != 0 || !ReadNext(file.get(), raw, sizeof raw, &got).ok() ||
        got != sizeof raw)
      return std::nullopt;
    const auto total = runtime::ReadLittle<uint64_t>(raw);
    if (runtime::ReadLittle<uint64_t>(raw + 8) != ~total) return std::nullopt;
    return total;
  }
  void Write(uint64_t total) const {
    char raw[16];
    runtime::WriteLittle<uint64_t>(raw, total);
    runtime::WriteLittle<uint64_t>(raw + 8, ~total);
    if (lseek(file.get(), 0, SEEK_SET) == 0 &&
        WriteAll(file.get(), std::string_view(raw, sizeof raw)).ok())
      return;
    // Makes the next writer count the entries.
    static_cast<void>(Uninterrupted([&] { return ftruncate(file.get(), 0); }));
  }
  FileHandle file;
  bool locked = false;
};

CacheStore::CacheStore(CacheOptions options, Report report)
    : options_(std::move(options)), report_(std::move(report)) {
  if (!report_) {
    report_ = [](const absl::Status& status) {
      std::fprintf(stderr, "warning[%s]: %s\n", std::string(runtime::StatusName(status)).c_str(),
                   std::string(runtime::StatusText(status)).c_str());
    };
  }
  if (!options_.refused.empty()) {
    static_cast<void>(Complain(MakeStatus(
        absl::StatusCode::kInvalidArgument, "cache-folder-relative",
        "nothing is kept in the compile cache: " + options_.refused +
            "\n  expected: a path from the root\n  help: LATHE_CACHE_DIR=\"$PWD/FOLDER\", or "
            "LATHE_CACHE=0 to do without")));
  }
}

std::string CacheStore::PathOf(const Digest& key) const { return EntryPath(options_.folder, key); }

// Reports these names only once: a full disk is no news for the second entry. Damage is reported
// each time.
absl::Status CacheStore::Complain(absl::Status status) {
  constexpr std::string_view kOnce[] = {"cache-unwritable", "cache-unreadable",
                                        "cache-folder-unsafe"};
  for (size_t i = 0; i < std::size(kOnce); ++i) {
    if (runtime::StatusName(status) == kOnce[i] && (reported_.fetch_or(1U << i) >> i & 1U) != 0)
      return status;
  }
  report_(status);
  return status;
}

FileHandle CacheStore::OpenTrusted(const std::string& path, FileProblem* problem) {
  FileHandle file = OpenFile(path, problem, Links::kRefuse);
  if (!problem->ok()) return file;
  if (const Distrust distrust = DistrustOf(file, path); !distrust.ok()) {
    static_cast<void>(Complain(Unsafe("what is in " + path + " is not run", distrust)));
    return {};
  }
  return file;
}

std::optional<CacheEntry> CacheStore::Find(const Digest& key) {
  if (!enabled()) return std::nullopt;
  const std::string path = PathOf(key);
  FileProblem problem;
  const FileHandle file = OpenTrusted(path, &problem);
  if (!problem.ok() && problem.error != ENOENT && problem.error != ENOTDIR) {
    static_cast<void>(Complain(MakeStatus(
        absl::StatusCode::kUnavailable, "cache-unreadable",
        "cannot read " + path + ": " + problem.text +
            "\n  expected: files of yours\n  help: set LATHE_CACHE_DIR to another folder")));
  }
  if (!file.is_open()) return std::nullopt;
  std::string bytes, reason = "it cannot be read";
  if (ReadFile(file, kMaxEntryBytes, &bytes).ok()) {
    if (std::optional<CacheEntry> entry = DecodeEntry(bytes, key, &reason)) {
      TakeLibraryMark(&entry->kind);
      const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
      static_cast<void>(futimens(file.get(), times) == 0);  // on read-only media the time stays old
      return entry;
    }
  }
  Discard(key, path, reason);
  return std::nullopt;
}

void CacheStore::Discard(const Digest& key, const std::string& path, const std::string& reason) {
  RemoveEntry(options_.folder, key);
  static_cast<void>(Complain(MakeStatus(
      absl::StatusCode::kDataLoss, "cache-entry-damaged",
      path + " is damaged: " + reason +
          "\n  note: it was removed and is made anew\n  help: `lathe cache verify` looks at all "
          "entries")));
}

std::optional<std::string> CacheStore::FindLibrary(const Digest& key) {
  if (!Find(key)) return std::nullopt;
  std::string path = LibraryPath(options_.folder, key);
  FileProblem problem;
  const FileHandle file = OpenTrusted(path, &problem);
  if (problem.error == ENOENT) {
    RemoveEntry(options_.folder, key);  // another process may have removed both files since
  } else if (!problem.ok()) {
    Discard(key, path, problem.text);
  }
  if (!file.is_open()) return std::nullopt;
  if (const absl::Status whole = runtime::CheckArtifactFile(path); !whole.ok()) {
    Discard(key, path, std::string(runtime::StatusText(whole)));
    return std::nullopt;
  }
  return path;
}

absl::Status CacheStore::Prepare() {
  struct stat info{};
  if (stat(options_.folder.c_str(), &info) != 0) {
    int first = 0;  // why the first folder that is missing cannot be made
    for (size_t slash = options_.folder.find('/', 1);;
         slash = options_.folder.find('/', slash + 1)) {
      if (mkdir(options_.folder.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST &&
          first == 0)
        first = errno;
      if (slash == std::string::npos) break;
    }
    if (stat(options_.folder.c_str(), &info) != 0)
      return Unwritable(options_.folder, std::strerror(first != 0 ? first : errno));
  }
  if (!S_ISDIR(info.st_mode)) return Unwritable(options_.folder, std::strerror(ENOTDIR));
  const Distrust distrust = DistrustOfFolder(options_.folder);
  return distrust.ok() ? absl::OkStatus()
                       : Unsafe("no code is kept in " + options_.folder, distrust);
}

absl::Status CacheStore::Put(const Digest& key, const CacheEntry& entry) {
  return PutWithLibrary(key, entry, nullptr);
}

absl::Status CacheStore::PutWithLibrary(
    const Digest& key, const CacheEntry& entry,
    const std::function<absl::Status(const std::string& path)>& write) {
  if (!enabled()) return absl::OkStatus();
  const bool has_library = write != nullptr;
  const std::string bytes = EncodeEntry(
      key, {entry.kind + std::string(has_library ? kLibraryMark : ""), entry.label, entry.bytes});
  if (bytes.size() > options_.max_bytes / 2 || bytes.size() > kMaxEntryBytes)
    return absl::OkStatus();
  if (const absl::Status status = Prepare(); !status.ok()) return Complain(status);
  std::string library;  // where it is before the entry is complete
  uint64_t library_bytes = 0;
  if (has_library) {
    // An interrupted writer leaves a file as large as a model, and nothing else would remove it as
    // long as the cache is below its limit.
    static_cast<void>(ScanEntries(options_.folder, std::time(nullptr) - kAbandonedSeconds));
    library = options_.folder + "/" + std::string(NewFile::kPrefix) + "XXXXXX.so";
    const FileHandle made(mkostemps(library.data(), 3, O_CLOEXEC));
    if (!made.is_open()) return Complain(Unwritable(library, std::strerror(errno)));
    const absl::Status written = write(library);
    struct stat info{};
    const bool is_there =
        written.ok() && chmod(library.c_str(), 0600) == 0 && stat(library.c_str(), &info) == 0;
    library_bytes = is_there ? static_cast<uint64_t>(info.st_size) : 0;
    if (!is_there || library_bytes > options_.max_bytes / 2) {
      const std::string why =
          written.ok() ? std::strerror(errno) : std::string(runtime::StatusText(written));
      unlink(library.c_str());
      return is_there ? absl::OkStatus() : Complain(Unwritable(library, why));
    }
  }
  const std::string path = PathOf(key);
  NewFile file(path, 0600);
  file.Write(bytes);
  absl::Status status = absl::OkStatus();
  if (const FileProblem& problem = file.Finish(); !problem.ok()) {
    status = Unwritable(path, problem.text);
  } else {
    status = Commit(&file, key, library, bytes.size() + library_bytes);
  }
  if (!status.ok() && !library.empty()) unlink(library.c_str());
  return status.ok() ? status : Complain(status);
}

// Adds an entry with `bytes` in all its files. What it replaces is counted under the lock, because
// another writer may replace it, too.
absl::Status CacheStore::Commit(NewFile* file, const Digest& key, const std::string& library,
                                uint64_t bytes) {
  const Usage usage(options_.folder);
  if (!usage.locked) return Unwritable(options_.folder + "/usage", std::strerror(errno));
  std::optional<uint64_t> total = usage.Read();
  const uint64_t replaced = EntryBytes(options_.folder, key);
  const std::string place = LibraryPath(options_.folder, key);
  if (library.empty()) {
    unlink(place.c_str());
  } else if (std::rename(library.c_str(), place.c_str()) != 0) {
    return Unwritable(place, std::strerror(errno));
  }
  if (const FileProblem& problem = file->Commit(); !problem.ok())
    return Unwritable(PathOf(key), problem.text);
  if (total) total = *total + bytes - std::min(replaced, *total);
  if (!total || *total > options_.max_bytes) total = Trim(options_.max_bytes);
  usage.Write(*total);
  return absl::OkStatus();
}

// Needs the lock. Counts the bytes of all entries. If they exceed `limit`, removes the oldest.
// Returns the new total.
uint64_t CacheStore::Trim(uint64_t limit) {
  absl::StatusOr<std::vector<FoundEntry>> found =
      ScanEntries(options_.folder, std::time(nullptr) - kAbandonedSeconds);
  if (!found.ok()) return 0;
  uint64_t total = 0;
  for (const FoundEntry& entry : *found) total += entry.bytes;
  if (total <= limit) return total;
  std::sort(found->begin(), found->end(), UsedBefore);
  for (const FoundEntry& entry : *found) {
    if (total <= limit - limit / 10) break;
    if (RemoveEntry(options_.folder, entry.key)) total -= entry.bytes;
  }
  return total;
}

absl::StatusOr<std::vector<CacheItem>> CacheStore::List() {
  std::vector<CacheItem> items;
  if (!enabled()) return items;
  LATHE_ASSIGN_OR_RETURN(std::vector<FoundEntry> found, ScanEntries(options_.folder, 0));
  std::sort(found.begin(), found.end(),
            [](const FoundEntry& a, const FoundEntry& b) { return UsedBefore(b, a); });
  for (const FoundEntry& entry : found) {
    CacheItem item{entry.key, "damaged", "", entry.bytes, entry.used.tv_sec};
    std::string bytes, reason;
    FileProblem problem;
    const FileHandle file = OpenFile(PathOf(entry.key), &problem, Links::kRefuse);
    if (problem.ok() && ReadFile(file, kMaxEntryBytes, &bytes).ok()) {
      if (std::optional<CacheEntry> whole = DecodeEntry(bytes, entry.key, &reason)) {
        item.has_library = TakeLibraryMark(&whole->kind);
        item.kind = std::move(whole->kind);
        item.label = std::move(whole->label);
      }
    }
    items.push_back(std::move(item));
  }
  return items;
}

absl::StatusOr<uint64_t> CacheStore::Clear() {
  if (!enabled()) return 0;
  LATHE_ASSIGN_OR_RETURN(const std::vector<FoundEntry> found,
                         ScanEntries(options_.folder, std::time(nullptr) - 60));
  if (found.empty()) return 0;
  const Usage usage(options_.folder);
  if (!usage.locked) return Unwritable(options_.folder + "/usage", std::strerror(errno));
  uint64_t freed = 0;
  for (const FoundEntry& entry : found) {
    if (RemoveEntry(options_.folder, entry.key)) freed += entry.bytes;
  }
  usage.Write(Trim(options_.max_bytes));
  return freed;
}

absl::StatusOr<CacheStore::Verified> CacheStore::Verify() {
  Verified out;
  LATHE_ASSIGN_OR_RETURN(const std::vector<CacheItem> items, List());
  for (const CacheItem& item : items) {
    const bool whole = item.kind != "damaged" &&
                       (!item.has_library ||
                        runtime::CheckArtifactFile(LibraryPath(options_.folder, item.key)).ok());
    if (whole) {
      ++out.whole;
    } else if (RemoveEntry(options_.folder, item.key)) {
      out.damaged.push_back(PathOf(item.key));
    }
  }
  if (out.damaged.empty()) return out;
  const Usage usage(options_.folder);
  if (usage.locked) usage.Write(Trim(options_.max_bytes));
  return out;
}

}  // namespace lathe::driver
