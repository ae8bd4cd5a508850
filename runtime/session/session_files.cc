#include "runtime/session/session_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/trusted_file.h"
#include "runtime/session/session.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr size_t kLongestName = 255;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name[0] != '.' &&
         name.find('/') == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), IsControl);
}

// For a message: on one line, and not longer than a line.
std::string Shown(std::string_view name) {
  constexpr size_t kMost = 80;
  size_t size = std::min(name.size(), kMost);
  // Not in the middle of a character.
  while (size > 0 && size < name.size() && (static_cast<unsigned char>(name[size]) & 0xc0) == 0x80)
    --size;
  std::string shown(name.substr(0, size));
  std::replace_if(shown.begin(), shown.end(), IsControl, '?');
  return "`" + shown + (size < name.size() ? "...`" : "`");
}

absl::Status CheckName(const SessionBase& session, std::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return MakeStatus(absl::StatusCode::kInvalidArgument, "session-file-name",
                    {Describe(session), " cannot have a file named ", Shown(name),
                     "\nexpected: 1 to 255 bytes without '/' and control characters, the first "
                     "not a dot\nfound: ",
                     name.empty() ? "no name" : Shown(name), "\nhelp: call it ",
                     IsName(last) ? Shown(last) : "`module.so`, for example"});
}

// The folders to remove when the process exits, with the process that made each: children made by
// fork inherit the table. Never destroyed, because sessions may end after all destructors ran.
struct Folders {
  std::mutex mutex;
  std::map<std::string, pid_t> makers;
};
Folders& AllFolders() {
  static auto* const folders = new Folders;
  return *folders;
}

void RemoveFolder(const std::string& folder, pid_t maker) {
  if (maker != getpid()) return;
  std::error_code ignored;  // nobody is left to hear of it
  std::filesystem::remove_all(folder, ignored);
}

void RemoveAllFolders() {
  std::map<std::string, pid_t> makers;
  {
    std::lock_guard lock(AllFolders().mutex);
    makers.swap(AllFolders().makers);
  }
  for (const auto& [folder, maker] : makers) RemoveFolder(folder, maker);
}

void NoteFolder(const std::string& folder) {
  [[maybe_unused]] static const int registered = std::atexit(RemoveAllFolders);
  std::lock_guard lock(AllFolders().mutex);
  AllFolders().makers.emplace(folder, getpid());
}

void ForgetFolder(const std::string& folder) {
  pid_t maker = 0;
  {
    std::lock_guard lock(AllFolders().mutex);
    const auto at = AllFolders().makers.find(folder);
    if (at == AllFolders().makers.end()) return;
    maker = at->second;
    AllFolders().makers.erase(at);
  }
  RemoveFolder(folder, maker);
}

}  // namespace

absl::Status FolderFiles::MakeFolder() {
  std::unique_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  if (!folder_.empty()) return absl::OkStatus();
  const char* const variable = secure_getenv("TMPDIR");
  const std::string place = variable != nullptr && variable[0] != '\0' ? variable : "/tmp";
  std::string problem = RefusalOf("TMPDIR", place);
  std::string folder = place + "/lathe-session-XXXXXX";
  if (problem.empty() && mkdtemp(folder.data()) == nullptr) problem = std::strerror(errno);
  if (!problem.empty()) {
    return MakeStatus(absl::StatusCode::kUnavailable, "session-file-unwritable",
                      {Describe(session_), " cannot make a folder for its files in ", Shown(place),
                       "\nexpected: a folder in which this user may write\nfound: ", problem,
                       "\nhelp: let TMPDIR name such a folder"});
  }
  NoteFolder(folder);
  folder_ = std::move(folder);
  return absl::OkStatus();
}

void FolderFiles::End() {
  std::unique_lock lock(mutex_);
  if (const std::string folder = std::exchange(folder_, ""); !folder.empty()) ForgetFolder(folder);
}

absl::Status FolderFiles::Upload(std::string_view name, std::string_view bytes) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_RETURN_IF_ERROR(CheckName(session_, name));
  LATHE_RETURN_IF_ERROR(MakeFolder());
  std::shared_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  const FileProblem problem = WriteFile(folder_ + "/" + std::string(name), bytes, 0600);
  return problem.ok() ? absl::OkStatus() : Unwritable(name, problem.text);
}

absl::StatusOr<std::string> FolderFiles::Download(std::string_view name) {
  LATHE_ASSIGN_OR_RETURN(const std::string path, PathOf(name));
  std::shared_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  std::string bytes;
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem, Links::kRefuse);
  if (problem.ok()) problem = ReadFile(file, kAnySize, &bytes);
  if (!problem.ok()) return Unreadable(name, problem.text);
  return bytes;
}

absl::StatusOr<std::vector<std::string>> FolderFiles::List() {
  std::shared_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  std::string problem;
  std::vector<std::string> names = Names(&problem);
  if (problem.empty()) return names;
  return MakeStatus(absl::StatusCode::kUnavailable, "session-file-unreadable",
                    {"cannot list the files of ", Describe(session_), " in ", Shown(folder_),
                     "\nexpected: its folder\nfound: ", problem,
                     "\nhelp: open another session, and upload its files again"});
}

absl::Status FolderFiles::Remove(std::string_view name) {
  LATHE_ASSIGN_OR_RETURN(const std::string path, PathOf(name));
  std::shared_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  if (unlink(path.c_str()) == 0) return absl::OkStatus();
  return errno == ENOENT ? Missing(name) : Unwritable(name, std::strerror(errno));
}

absl::StatusOr<std::string> FolderFiles::PathOf(std::string_view name) {
  std::shared_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_RETURN_IF_ERROR(CheckName(session_, name));
  if (folder_.empty()) return Missing(name);
  std::string path = folder_ + "/" + std::string(name);
  FileProblem problem;
  static_cast<void>(OpenFile(path, &problem, Links::kRefuse));
  if (problem.error == ENOENT) return Missing(name);
  if (!problem.ok()) return Unreadable(name, problem.text);
  return path;
}

std::vector<std::string> FolderFiles::Names(std::string* problem) const {
  std::vector<std::string> names;
  if (folder_.empty()) return names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;  // removed meanwhile: not regular
    if (IsName(name) && std::filesystem::is_regular_file(at->symlink_status(ignored)))
      names.push_back(std::move(name));
  }
  if (error) *problem = error.message();
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status FolderFiles::Missing(std::string_view name) const {
  constexpr size_t kMost = 8;
  std::string ignored;
  const std::vector<std::string> names = Names(&ignored);
  std::string known;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    known += (i == 0 ? "one of " : ", ") + Shown(names[i]);
  if (names.size() > kMost) known += " and " + std::to_string(names.size() - kMost) + " more";
  return MakeStatus(absl::StatusCode::kNotFound, "session-file-missing",
                    {Describe(session_), " has no file ", Shown(name), "\nexpected: ",
                     known.empty() ? "a file that was uploaded; there are none" : known,
                     "\nfound: ", Shown(name), "\nhelp: upload it to this session first"});
}

absl::Status FolderFiles::Unwritable(std::string_view name, std::string_view problem) const {
  return MakeStatus(absl::StatusCode::kUnavailable, "session-file-unwritable",
                    {Describe(session_), " cannot write or remove its file ", Shown(name), " in ",
                     Shown(folder_), "\nexpected: a folder with room for it\nfound: ", problem,
                     "\nhelp: make room there, or open another session with a TMPDIR that has it"});
}

absl::Status FolderFiles::Unreadable(std::string_view name, std::string_view problem) const {
  return MakeStatus(absl::StatusCode::kUnavailable, "session-file-unreadable",
                    {Describe(session_), " cannot read its file ", Shown(name), " in ",
                     Shown(folder_), "\nexpected: a file that was uploaded\nfound: ", problem,
                     "\nhelp: upload it again, under another name"});
}

}  // namespace lathe::runtime
