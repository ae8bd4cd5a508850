#include "driver/cache/store.h"

#include <dirent.h>
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
#include "runtime/artifact/bytes.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

constexpr std::string_view kSuffix = ".entry";
constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 31;
// A writer that has worked for longer than this has died.
constexpr std::time_t kAbandonedSeconds = 3600;

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

// Reads the key from a file's name; false if the name is not that of an entry.
bool KeyOf(std::string_view name, Digest* key) {
  if (name.size() != 32 + kSuffix.size() || !name.ends_with(kSuffix)) return false;
  const auto half = [&](size_t at, uint64_t* out) {
    const char* begin = name.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + 16, *out, 16);
    return error == std::errc() && end == begin + 16;
  };
  return half(0, &key->high) && half(16, &key->low) && key->ToString() == name.substr(0, 32);
}

struct Found {
  Digest key;
  uint64_t bytes = 0;
  timespec used{};
};

// The entries in the folder. Removes files that unfinished writers left before `abandoned_before`.
absl::StatusOr<std::vector<Found>> Scan(const std::string& folder, std::time_t abandoned_before) {
  std::vector<Found> out;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) {
    if (errno == ENOENT) return out;
    return MakeStatus(absl::StatusCode::kUnavailable, "cache-unreadable",
                      "cannot read " + folder + ": " + std::strerror(errno) +
                          "\n  expected: a folder of yours\n  help: set LATHE_CACHE_DIR to one");
  }
  while (const dirent* item = readdir(directory)) {
    const std::string_view name = item->d_name;
    Found found;
    struct stat info{};
    if (name.starts_with(NewFile::kPrefix)) {
      if (fstatat(dirfd(directory), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
          info.st_mtim.tv_sec < abandoned_before)
        unlinkat(dirfd(directory), item->d_name, 0);
      continue;
    }
    if (!KeyOf(name, &found.key)) continue;
    if (fstatat(dirfd(directory), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    found.bytes = static_cast<uint64_t>(info.st_size);
    found.used = info.st_mtim;
    out.push_back(found);
  }
  closedir(directory);
  return out;
}

bool UsedBefore(const Found& a, const Found& b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                        : a.used.tv_nsec < b.used.tv_nsec;
}

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
    // Holders of the lock need only microseconds. If one of them was suspended, others must not
    // wait for ever.
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

std::string CacheStore::PathOf(const Digest& key) const {
  return options_.folder + "/" + key.ToString() + std::string(kSuffix);
}

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

std::optional<CacheEntry> CacheStore::Find(const Digest& key) {
  if (!enabled()) return std::nullopt;
  const std::string path = PathOf(key);
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem, Links::kRefuse);
  if (!problem.ok()) {
    if (problem.error != ENOENT && problem.error != ENOTDIR) {
      static_cast<void>(Complain(MakeStatus(
          absl::StatusCode::kUnavailable, "cache-unreadable",
          "cannot read " + path + ": " + problem.text +
              "\n  expected: files of yours\n  help: set LATHE_CACHE_DIR to another folder")));
    }
    return std::nullopt;
  }
  if (const Distrust distrust = DistrustOf(file, path); !distrust.ok()) {
    static_cast<void>(Complain(Unsafe("what is in " + path + " is not run", distrust)));
    return std::nullopt;
  }
  std::string bytes, reason = "it cannot be read";
  if (ReadFile(file, kMaxEntryBytes, &bytes).ok()) {
    if (std::optional<CacheEntry> entry = DecodeEntry(bytes, key, &reason)) {
      const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
      static_cast<void>(futimens(file.get(), times) == 0);  // on read-only media the time stays old
      return entry;
    }
  }
  unlink(path.c_str());
  static_cast<void>(Complain(MakeStatus(
      absl::StatusCode::kDataLoss, "cache-entry-damaged",
      path + " is damaged: " + reason +
          "\n  note: it was removed and is made anew\n  help: `lathe cache verify` looks at all "
          "entries")));
  return std::nullopt;
}

absl::Status CacheStore::Prepare() {
  struct stat info{};
  if (stat(options_.folder.c_str(), &info) != 0) {
    for (size_t slash = options_.folder.find('/', 1);;
         slash = options_.folder.find('/', slash + 1)) {
      mkdir(options_.folder.substr(0, slash).c_str(), 0700);  // a failure shows below
      if (slash == std::string::npos) break;
    }
    if (stat(options_.folder.c_str(), &info) != 0)
      return Unwritable(options_.folder, std::strerror(errno));
  }
  if (!S_ISDIR(info.st_mode)) return Unwritable(options_.folder, std::strerror(ENOTDIR));
  const Distrust distrust = DistrustOfFolder(options_.folder);
  return distrust.ok() ? absl::OkStatus()
                       : Unsafe("no code is kept in " + options_.folder, distrust);
}

absl::Status CacheStore::Put(const Digest& key, const CacheEntry& entry) {
  if (!enabled()) return absl::OkStatus();
  const std::string bytes = EncodeEntry(key, entry);
  if (bytes.size() > options_.max_bytes / 2 || bytes.size() > kMaxEntryBytes)
    return absl::OkStatus();
  if (const absl::Status status = Prepare(); !status.ok()) return Complain(status);
  const std::string path = PathOf(key);
  NewFile file(path, 0600);
  file.Write(bytes);
  if (const FileProblem& problem = file.Finish(); !problem.ok())
    return Complain(Unwritable(path, problem.text));
  const absl::Status status = Commit(&file, path, bytes.size());
  return status.ok() ? status : Complain(status);
}

absl::Status CacheStore::Commit(NewFile* file, const std::string& path, uint64_t bytes) {
  const Usage usage(options_.folder);
  if (!usage.locked) return Unwritable(options_.folder + "/usage", std::strerror(errno));
  std::optional<uint64_t> total = usage.Read();
  struct stat old{};
  const uint64_t replaced = stat(path.c_str(), &old) == 0 ? static_cast<uint64_t>(old.st_size) : 0;
  if (const FileProblem& problem = file->Commit(); !problem.ok())
    return Unwritable(path, problem.text);
  if (total) total = *total + bytes - std::min(replaced, *total);
  if (!total || *total > options_.max_bytes) total = Trim(options_.max_bytes);
  usage.Write(*total);
  return absl::OkStatus();
}

// Needs the lock. Counts the bytes of all entries. If they exceed `limit`, removes the oldest.
// Returns the new total.
uint64_t CacheStore::Trim(uint64_t limit) {
  absl::StatusOr<std::vector<Found>> found =
      Scan(options_.folder, std::time(nullptr) - kAbandonedSeconds);
  if (!found.ok()) return 0;
  uint64_t total = 0;
  for (const Found& entry : *found) total += entry.bytes;
  if (total <= limit) return total;
  std::sort(found->begin(), found->end(), UsedBefore);
  for (const Found& entry : *found) {
    if (total <= limit - limit / 10) break;
    if (unlink(PathOf(entry.key).c_str()) == 0) total -= entry.bytes;
  }
  return total;
}

absl::StatusOr<std::vector<CacheItem>> CacheStore::List() {
  std::vector<CacheItem> items;
  if (!enabled()) return items;
  LATHE_ASSIGN_OR_RETURN(std::vector<Found> found, Scan(options_.folder, 0));
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return UsedBefore(b, a); });
  for (const Found& entry : found) {
    CacheItem item{entry.key, "damaged", "", entry.bytes, entry.used.tv_sec};
    std::string bytes, reason;
    FileProblem problem;
    const FileHandle file = OpenFile(PathOf(entry.key), &problem, Links::kRefuse);
    if (problem.ok() && ReadFile(file, kMaxEntryBytes, &bytes).ok()) {
      if (std::optional<CacheEntry> whole = DecodeEntry(bytes, entry.key, &reason)) {
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
  LATHE_ASSIGN_OR_RETURN(const std::vector<Found> found,
                         Scan(options_.folder, std::time(nullptr) - 60));
  if (found.empty()) return 0;
  const Usage usage(options_.folder);
  if (!usage.locked) return Unwritable(options_.folder + "/usage", std::strerror(errno));
  uint64_t freed = 0;
  for (const Found& entry : found) {
    if (unlink(PathOf(entry.key).c_str()) == 0) freed += entry.bytes;
  }
  usage.Write(Trim(options_.max_bytes));
  return freed;
}

absl::StatusOr<CacheStore::Verified> CacheStore::Verify() {
  Verified out;
  LATHE_ASSIGN_OR_RETURN(const std::vector<CacheItem> items, List());
  for (const CacheItem& item : items) {
    if (item.kind != "damaged") {
      ++out.whole;
      continue;
    }
    const std::string path = PathOf(item.key);
    if (unlink(path.c_str()) == 0) out.damaged.push_back(path);
  }
  if (out.damaged.empty()) return out;
  const Usage usage(options_.folder);
  if (usage.locked) usage.Write(Trim(options_.max_bytes));
  return out;
}

}  // namespace lathe::driver
