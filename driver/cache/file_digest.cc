#include "driver/cache/file_digest.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "driver/cache/key.h"
#include "runtime/artifact/artifact_bytes.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

constexpr std::time_t kSettledSeconds = 2;

absl::Status Unreadable(const std::string& path, const std::string& why) {
  return runtime::MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                             "cannot read " + path + ": " + why);
}

std::string StampOf(const std::string& path, const struct stat& info) {
  std::string out = path;
  for (const auto number :
       {static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino),
        static_cast<int64_t>(info.st_size), static_cast<int64_t>(info.st_mtim.tv_sec),
        static_cast<int64_t>(info.st_mtim.tv_nsec), static_cast<int64_t>(info.st_ctim.tv_sec),
        static_cast<int64_t>(info.st_ctim.tv_nsec)})
    out += " " + std::to_string(number);
  return out;
}

}  // namespace

absl::StatusOr<std::string> FileStamp(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return Unreadable(path, std::strerror(errno));
  return StampOf(path, info);
}

// All that is asked of the system is asked of the open file: what has its name may be another one
// in the next moment.
absl::StatusOr<std::string> FileDigest(const std::string& path, CacheStore& store) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  struct stat info{}, afterwards{};
  if (!problem.ok()) return Unreadable(path, problem.text);
  if (fstat(file.get(), &info) != 0) return Unreadable(path, std::strerror(errno));
  const std::string stamp = StampOf(path, info);
  const Digest key = KeyBuilder("file").Add(stamp).Finish();
  if (std::optional<CacheEntry> known = store.Find(key); known && known->kind == "file")
    return std::move(known->bytes);
  LATHE_ASSIGN_OR_RETURN(const runtime::MappedFile mapped, runtime::MapFile(file, path));
  std::string digest = DigestOf(mapped.bytes).ToString();
  if (fstat(file.get(), &afterwards) == 0 && StampOf(path, afterwards) == stamp &&
      info.st_ctim.tv_sec + kSettledSeconds < std::time(nullptr))
    static_cast<void>(store.Put(key, {"file", path, digest}));
  return digest;
}

}  // namespace lathe::driver
