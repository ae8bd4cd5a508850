// A file of records to which programs append, and of which nothing is lost: not when a program is
// killed, not when the disk is full, and not when several programs write at once.
//
// A record is a line, so that people and other tools can read it, and JSON as a whole:
//
//   {"digest":"<32 hexadecimal digits>","record":<the record>}
//
// The digest (base/digest.h) is of the record's bytes. A line whose digest is wrong, or that has no
// end, is damaged: it is left out, counted, and stays in the file.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"

namespace lathe::tune {

// The most bytes of a record.
inline constexpr size_t kMostRecordBytes = size_t{1} << 20;

// What a journal has, besides its records.
struct JournalState {
  int64_t records = 0;
  std::vector<int64_t> damaged;  // numbers of lines, from 1
};

// Calls `take` with each record, in the order of the file, and the number of its line. The view is
// valid during the call. A file that does not exist has no records. If a program appends meanwhile,
// the last line may have no end yet, and then counts as damaged. Fails with
// `tune-journal-unreadable`.
absl::StatusOr<JournalState> ReadJournal(
    const std::string& path, absl::FunctionRef<void(std::string_view record, int64_t line)> take);

// The same for the bytes of a journal.
JournalState ReadJournalText(std::string_view bytes,
                             absl::FunctionRef<void(std::string_view record, int64_t line)> take);

// The line of a record, with its newline.
std::string JournalLine(std::string_view record);

// Thread-safe.
class Journal {
 public:
  // Makes the file if there is none. `wait`: seconds for which Append waits for other programs,
  // which hold the file for a moment each. Fails with `tune-journal-unwritable`.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(std::string path, double wait = 30);

  // Appends records, each JSON on one line. When this returns OK they are on the disk; one flush
  // serves all of them. If it fails, none of them is in the file, unless the message says that the
  // disk could not be flushed. Fails with `tune-journal-unwritable`, `tune-journal-busy` (another
  // program holds the file) and `tune-record-too-large`.
  absl::Status Append(std::span<const std::string> records);

 private:
  Journal(std::string path, double wait, FileHandle file)
      : path_(std::move(path)), wait_(wait), file_(std::move(file)) {}
  absl::Status Write(std::string lines) const;

  const std::string path_;
  const double wait_;
  std::mutex mutex_;  // the lock of the file is one for all threads
  const FileHandle file_;
};

}  // namespace lathe::tune
