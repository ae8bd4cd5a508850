// Lock files: the records that a build of a graph used, so that another build uses the same ones.
//
// A journal of records (tune/journal.h) after a line {"lock": N}, N being their number: what is
// lost is noticed. A file without that line, as `lathe tune MODEL -o` writes it, is taken, too: it
// may have records of other builds, or none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tune/best_records.h"
#include "tune/record.h"

namespace lathe::tune {

struct Lock {
  std::shared_ptr<const BestRecords> records;
  // How many of them the build must use: all. nullopt: the file does not say.
  std::optional<int64_t> count;
};

// Fails with `tune-lock-broken` (a damaged line, one that is no record, fewer or more records than
// the file says), and with `tune-journal-unreadable`.
absl::StatusOr<Lock> ReadLock(const std::string& path);
// The same for the bytes of a lock file; `path` names it in errors.
absl::StatusOr<Lock> ReadLockText(std::string_view bytes, const std::string& path);

// Into a new file. Records of one workload count once. Equal records make equal files. Fails as
// Journal::Append does.
absl::Status WriteLock(const std::string& path, const std::vector<Record>& records);

// What is wrong with a lock file, as an error of the name `tune-lock-broken`.
absl::Status LockBroken(const std::string& path, const std::string& found);

}  // namespace lathe::tune
