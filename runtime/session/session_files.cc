#include "runtime/session/session_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/trusted_file.h"
#include "runtime/session/session.h"
#include "runtime/session/session_folder.h"
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

// Bytes on the disk: a file without bytes has a place there, too.
uint64_t BytesOnDisk(uint64_t bytes) {
  constexpr uint64_t kBlock = 4096;
  return (bytes / kBlock + 1) * kBlock;
}

}  // namespace

absl::Status CheckFileName(const SessionBase& session, std::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return MakeStatus(absl::StatusCode::kInvalidArgument, "session-file-name",
                    {Describe(session), " cannot have a file named ", Shown(name),
                     "\nexpected: 1 to 255 bytes without '/' and control characters, the first "
                     "not a dot\nfound: ",
                     name.empty() ? "no name" : Shown(name), "\nhelp: call it ",
                     IsName(last) ? Shown(last) : "`module.so`, for example"});
}

absl::Status FolderFiles::MakeFolder() {
  std::unique_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  if (!folder_.empty()) return absl::OkStatus();
  const char* const variable = secure_getenv("TMPDIR");
  const std::string place = variable != nullptr && variable[0] != '\0' ? variable : "/tmp";
  std::string problem = RefusalOf("TMPDIR", place);
  if (problem.empty()) {
    RemoveAbandonedSessionFolders(place);
    problem = MakeSessionFolder(place, &folder_);
  }
  if (!problem.empty()) {
    return MakeStatus(absl::StatusCode::kUnavailable, "session-file-unwritable",
                      {Describe(session_), " cannot make a folder for its files in ", Shown(place),
                       "\nexpected: a folder in which this user may write\nfound: ", problem,
                       "\nhelp: let TMPDIR name such a folder"});
  }
  return absl::OkStatus();
}

void FolderFiles::End() {
  std::unique_lock lock(mutex_);
  if (const std::string folder = std::exchange(folder_, ""); !folder.empty())
    RemoveSessionFolder(folder);
}

absl::Status FolderFiles::Upload(std::string_view name, std::string_view bytes) {
  return UploadPieces(name, bytes.size(), [bytes] { return bytes; });
}

absl::Status FolderFiles::UploadPieces(std::string_view name, uint64_t size, NextPiece next) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_RETURN_IF_ERROR(CheckFileName(session_, name));
  LATHE_RETURN_IF_ERROR(MakeFolder());
  std::shared_lock lock(mutex_);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  const std::lock_guard one_at_a_time(uploads_);  // else two could exceed the limit together
  LATHE_RETURN_IF_ERROR(CheckRoom(name, size));
  NewFile file(folder_ + "/" + std::string(name), 0600);
  for (uint64_t written = 0; written < size;) {
    LATHE_ASSIGN_OR_RETURN(const std::string_view piece, next());
    if (const FileProblem& problem = file.Write(piece); !problem.ok())
      return Unwritable(name, problem.text);
    written += piece.size();
  }
  const FileProblem& problem = file.Commit();
  return problem.ok() ? absl::OkStatus() : Unwritable(name, problem.text);
}

absl::Status FolderFiles::CheckRoom(std::string_view name, uint64_t bytes) const {
  std::string ignored;  // writing the file finds it, too
  uint64_t others = 0;
  for (const std::string& other : Names(&ignored)) {
    std::error_code gone;
    const uint64_t size = std::filesystem::file_size(folder_ + "/" + other, gone);
    if (!gone && other != name) others += BytesOnDisk(size);
  }
  // The sum is not made of a number near 2^64, which somebody may have sent.
  if (bytes <= kMostSessionBytes && others + BytesOnDisk(bytes) <= kMostSessionBytes)
    return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kResourceExhausted, "session-files-too-large",
                    {Describe(session_), " has no room for its file ", Shown(name),
                     "\nexpected: at most ", std::to_string(kMostSessionBytes),
                     " bytes in all files of a session\nfound: ", std::to_string(bytes),
                     " bytes, beside ", std::to_string(others),
                     " of other files (each in blocks of 4096)\nhelp: remove files that are no "
                     "longer needed, or open another session"});
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
  LATHE_RETURN_IF_ERROR(CheckFileName(session_, name));
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
