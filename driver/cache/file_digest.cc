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

absl::StatusOr<struct stat> StateOf(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return Unreadable(path, std::strerror(errno));
  return info;
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
  LATHE_ASSIGN_OR_RETURN(const struct stat info, StateOf(path));
  return StampOf(path, info);
}

absl::StatusOr<std::string> FileDigest(const std::string& path, CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(const struct stat info, StateOf(path));
  const Digest key = KeyBuilder("file").Add(StampOf(path, info)).Finish();
  if (std::optional<CacheEntry> known = store.Find(key); known && known->kind == "file")
    return std::move(known->bytes);
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  if (!problem.ok()) return Unreadable(path, problem.text);
  LATHE_ASSIGN_OR_RETURN(const runtime::MappedFile mapped, runtime::MapFile(file, path));
  std::string digest = DigestOf(mapped.bytes).ToString();
  if (info.st_ctim.tv_sec + kSettledSeconds < std::time(nullptr))
    static_cast<void>(store.Put(key, {"file", path, digest}));
  return digest;
}

}  // namespace lathe::driver
