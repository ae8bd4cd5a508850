// Fuzzes journals of records and lock files. The input is read as it is, and then each of its lines
// as a record with its digest, which chance does not find.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tune/journal.h"
#include "tune/lock_file.h"

namespace lathe::tune {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Any bytes are records and damaged lines.
void ReadAsItIs(std::string_view text) {
  int64_t taken = 0, last = 0;
  const JournalState state = ReadJournalText(text, [&](std::string_view record, int64_t line) {
    LATHE_CHECK(!record.empty() && line > last);
    last = line;
    ++taken;
  });
  LATHE_CHECK(state.records == taken);
  const auto lock = ReadLockText(text, "input");
  LATHE_CHECK(state.damaged.empty() || !lock.ok());
}

// What is written is read, and what is cut off a lock file is noticed.
void ReadWithDigests(const std::vector<std::string_view>& records) {
  std::string text;
  for (const std::string_view record : records) text += JournalLine(record);
  size_t next = 0;
  const JournalState state = ReadJournalText(
      text, [&](std::string_view record, int64_t) { LATHE_CHECK(record == records[next++]); });
  LATHE_CHECK(next == records.size() && state.damaged.empty());
  const auto lock = ReadLockText(text, "input");
  if (!lock.ok()) return;
  LATHE_CHECK(lock->records->size() <= records.size());
  if (!lock->count) return;
  for (const size_t cut : {size_t{1}, text.size() / 2, text.size() - 1})
    LATHE_CHECK(!ReadLockText(std::string_view(text).substr(0, cut), "input").ok());
}

}  // namespace
}  // namespace lathe::tune

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::tune;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadAsItIs(text);
  ReadWithDigests(LinesOf(text));
  return 0;
}
