#include "tune/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/digest.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::MakeStatus;

constexpr std::string_view kBegin = "{\"digest\":\"", kMiddle = "\",\"record\":", kEnd = "}";
constexpr size_t kDigestDigits = 32;
constexpr size_t kAround = kBegin.size() + kDigestDigits + kMiddle.size() + kEnd.size();

// The record of a line without its end; empty if it is damaged.
std::string_view RecordOf(std::string_view line) {
  if (line.size() <= kAround || !line.starts_with(kBegin) || !line.ends_with(kEnd)) return {};
  const std::string_view digits = line.substr(kBegin.size(), kDigestDigits);
  line.remove_prefix(kBegin.size() + kDigestDigits);
  if (!line.starts_with(kMiddle)) return {};
  line.remove_prefix(kMiddle.size());
  line.remove_suffix(kEnd.size());
  Digest digest;
  return Digest::Parse(digits, &digest) && digest == DigestOf(line) ? line : std::string_view();
}

absl::Status Unreadable(const std::string& path, std::string_view problem) {
  return MakeStatus(absl::StatusCode::kUnavailable, "tune-journal-unreadable",
                    {"the records in ", path, " cannot be read: ", problem});
}

absl::Status Unwritable(const std::string& path, std::string_view problem) {
  return MakeStatus(absl::StatusCode::kUnavailable, "tune-journal-unwritable",
                    {"no records can be written to ", path, ": ", problem});
}

// Splits what is read into lines, whose number and size have no limit.
class Lines {
 public:
  Lines(JournalState& state, absl::FunctionRef<void(std::string_view, int64_t)> take)
      : state_(state), take_(take) {}

  void Add(std::string_view bytes) {
    for (size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
      Keep(bytes.substr(0, end));
      EndLine();
      bytes.remove_prefix(end + 1);
    }
    Keep(bytes);
  }
  void End() {
    if (!too_long_ && line_.empty()) return;
    too_long_ = true;  // who wrote it was stopped
    EndLine();
  }

 private:
  void Keep(std::string_view part) {
    too_long_ = too_long_ || line_.size() + part.size() > kAround + kMostRecordBytes;
    if (!too_long_) line_ += part;
  }
  void EndLine() {
    ++number_;
    const std::string_view record = too_long_ ? std::string_view() : RecordOf(line_);
    if (!record.empty()) {
      ++state_.records;
      take_(record, number_);
    } else if (too_long_ || !line_.empty()) {
      state_.damaged.push_back(number_);
    }
    line_.clear();
    too_long_ = false;
  }

  JournalState& state_;
  absl::FunctionRef<void(std::string_view, int64_t)> take_;
  std::string line_;
  bool too_long_ = false;
  int64_t number_ = 0;
};

// Holds the file alone among programs, for as long as it lives.
class FileLock {
 public:
  FileLock(int file, double wait) : file_(file) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait);
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      error_ = errno;
      if ((error_ != EWOULDBLOCK && error_ != EINTR) || std::chrono::steady_clock::now() > end)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    error_ = 0;
  }
  ~FileLock() {
    if (error_ == 0) Uninterrupted([&] { return flock(file_, LOCK_UN); });
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  int error() const { return error_; }

 private:
  int file_, error_ = 0;
};

// So that a new file's name is on the disk, too.
void FlushFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const FileHandle opened(
      Uninterrupted([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (opened.is_open()) Uninterrupted([&] { return fsync(opened.get()); });
}

}  // namespace

std::string JournalLine(std::string_view record) {
  std::string line(kBegin);
  line += DigestOf(record).ToString();
  line += kMiddle;
  line += record;
  line += kEnd;
  return line + "\n";
}

absl::StatusOr<JournalState> ReadJournal(
    const std::string& path, absl::FunctionRef<void(std::string_view record, int64_t line)> take) {
  JournalState state;
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  if (problem.error == ENOENT) return state;
  if (!problem.ok()) return Unreadable(path, problem.text);
  Lines lines(state, take);
  std::string bytes(size_t{1} << 20, '\0');
  for (size_t got = bytes.size(); got == bytes.size();) {
    problem = ReadNext(file.get(), bytes.data(), bytes.size(), &got);
    if (!problem.ok()) return Unreadable(path, problem.text);
    lines.Add(std::string_view(bytes).substr(0, got));
  }
  lines.End();
  return state;
}

JournalState ReadJournalText(std::string_view bytes,
                             absl::FunctionRef<void(std::string_view record, int64_t line)> take) {
  JournalState state;
  Lines lines(state, take);
  lines.Add(bytes);
  lines.End();
  return state;
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(std::string path, double wait) {
  // O_NONBLOCK: a FIFO is refused, not waited for.
  FileHandle file(Uninterrupted([&] {
    return open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  }));
  if (!file.is_open()) return Unwritable(path, std::strerror(errno));
  struct stat state{};
  if (fstat(file.get(), &state) != 0) return Unwritable(path, std::strerror(errno));
  if (!S_ISREG(state.st_mode)) return Unwritable(path, "it is no regular file");
  if (state.st_size == 0) FlushFolderOf(path);
  return std::unique_ptr<Journal>(new Journal(std::move(path), wait, std::move(file)));
}

absl::Status Journal::Append(std::span<const std::string> records) {
  std::string lines;
  for (const std::string& record : records) {
    if (record.size() > kMostRecordBytes)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "tune-record-too-large",
                        {"a record has ", std::to_string(record.size()),
                         " bytes\nexpected: at most ", std::to_string(kMostRecordBytes)});
    lines += JournalLine(record);
  }
  if (lines.empty()) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  return Write(std::move(lines));
}

absl::Status Journal::Write(std::string lines) const {
  const FileLock lock(file_.get(), wait_);
  if (lock.error() == EWOULDBLOCK || lock.error() == EINTR)
    return MakeStatus(absl::StatusCode::kUnavailable, "tune-journal-busy",
                      {"another program has held ", path_, " for ", std::to_string(wait_),
                       " seconds\nhelp: is one stopped that writes there?"});
  if (lock.error() != 0) return Unwritable(path_, std::strerror(lock.error()));
  struct stat state{};
  if (fstat(file_.get(), &state) != 0) return Unwritable(path_, std::strerror(errno));
  // A program that was stopped may have left a part of a line: it ends here, and stays damaged.
  char last = '\n';
  if (state.st_size > 0 &&
      Uninterrupted([&] { return pread(file_.get(), &last, 1, state.st_size - 1); }) != 1)
    return Unwritable(path_, std::strerror(errno));
  if (last != '\n') lines.insert(lines.begin(), '\n');
  if (const FileProblem problem = WriteAll(file_.get(), lines); !problem.ok()) {
    // What was written of it would be a damaged line.
    const int undone = Uninterrupted([&] { return ftruncate(file_.get(), state.st_size); });
    return Unwritable(path_, problem.text + (undone == 0 ? "" : "; a part of a line is left"));
  }
  if (Uninterrupted([&] { return fdatasync(file_.get()); }) != 0)
    return Unwritable(path_, "the disk could not be flushed: " + std::string(std::strerror(errno)));
  return absl::OkStatus();
}

}  // namespace lathe::tune
