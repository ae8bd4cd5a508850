#include "runtime/session/session_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace lathe::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "lathe-session-";
constexpr const char* kHidden = ".lathe-session-";

struct Folder {
  pid_t maker = 0;  // children made by fork inherit the table
  FileHandle lock;
};
// The folders to remove when the process exits. Never destroyed, because sessions may end after all
// destructors ran.
struct Folders {
  std::mutex mutex;
  std::map<std::string, Folder> made;
};
Folders& AllFolders() {
  static auto* const folders = new Folders;
  return *folders;
}

void Remove(const std::string& path, const Folder& folder) {
  if (folder.maker != getpid()) return;
  std::error_code ignored;  // nobody is left to hear of it
  fs::remove_all(path, ignored);
}

void RemoveAll() {
  std::map<std::string, Folder> made;
  {
    std::lock_guard lock(AllFolders().mutex);
    made.swap(AllFolders().made);
  }
  for (const auto& [path, folder] : made) Remove(path, folder);
}

// Not open if there is no such folder, or another process has it.
FileHandle Locked(const std::string& path) {
  FileHandle folder(Uninterrupted(
      [&] { return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
  if (folder.is_open() &&
      Uninterrupted([&] { return flock(folder.get(), LOCK_EX | LOCK_NB); }) != 0)
    folder.Close();
  return folder;
}

// A hidden folder is about to be locked, so only an old one was left behind.
constexpr time_t kHiddenSeconds = 3600;

}  // namespace

void RemoveAbandonedSessionFolders(const std::string& place) {
  std::error_code ignored;
  for (fs::directory_iterator at(place, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const bool hidden = name.starts_with(kHidden);
    if (!hidden && !name.starts_with(kPrefix)) continue;
    struct stat state{};
    // Before the lock, which the maker of a young one is about to take.
    if (hidden &&
        (lstat(at->path().c_str(), &state) != 0 || time(nullptr) - state.st_mtime < kHiddenSeconds))
      continue;
    const FileHandle lock = Locked(at->path());
    if (!lock.is_open() || fstat(lock.get(), &state) != 0 || state.st_uid != geteuid()) continue;
    std::error_code nobody_hears;
    fs::remove_all(at->path(), nobody_hears);
  }
}

std::string MakeSessionFolder(const std::string& place, std::string* folder) {
  // Only a locked folder gets the name by which others find abandoned ones.
  std::string hidden = place + "/" + kHidden + "XXXXXX";
  if (mkdtemp(hidden.data()) == nullptr) return std::strerror(errno);
  FileHandle lock_of_it = Locked(hidden);
  if (!lock_of_it.is_open()) {
    std::string problem = std::strerror(errno);
    rmdir(hidden.c_str());
    return problem;
  }
  Folder made = {getpid(), std::move(lock_of_it)};
  std::string path = hidden;
  path.erase(place.size() + 1, 1);  // the dot
  if (rename(hidden.c_str(), path.c_str()) != 0) {
    std::string problem = std::strerror(errno);
    rmdir(hidden.c_str());
    return problem;
  }
  [[maybe_unused]] static const int registered = std::atexit(RemoveAll);
  std::lock_guard lock(AllFolders().mutex);
  AllFolders().made.emplace(path, std::move(made));
  *folder = std::move(path);
  return "";
}

void RemoveSessionFolder(const std::string& path) {
  Folder folder;
  {
    std::lock_guard lock(AllFolders().mutex);
    const auto at = AllFolders().made.find(path);
    if (at == AllFolders().made.end()) return;
    folder = std::move(at->second);
    AllFolders().made.erase(at);
  }
  Remove(path, folder);
}

}  // namespace lathe::runtime
