#include "driver/link/archive.h"

#include <cstdint>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::kTarBlock;
using runtime::MakeStatus;
using runtime::TarEntry;

constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 33;  // 11 octal digits

// Appends the header block. Owner 0, time 0, mode 644.
void AppendHeader(const TarEntry& entry, std::string* out) {
  std::string header(kTarBlock, '\0');
  auto put = [&](size_t at, std::string_view text) { header.replace(at, text.size(), text); };
  put(0, entry.name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, absl::StrFormat("%011o", entry.contents.size()));
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, absl::StrFormat("%06o", sum));
  header[154] = '\0';
  out->append(header);
}

}  // namespace

absl::StatusOr<std::string> WriteTar(absl::Span<const TarEntry> entries) {
  std::string out;
  std::unordered_set<std::string_view> seen;
  for (const TarEntry& entry : entries) {
    if (!runtime::IsPlainEntryName(entry.name) || entry.name.size() > runtime::kMaxTarName) {
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "archive-name",
          absl::StrCat("`", entry.name,
                       "` cannot name a file of an archive: expected a relative path of "
                       "at most ",
                       runtime::kMaxTarName, " bytes without `..`"));
    }
    if (!seen.insert(entry.name).second) {
      return MakeStatus(absl::StatusCode::kInvalidArgument, "archive-name",
                        absl::StrCat("two files of an archive are named `", entry.name, "`"));
    }
    if (entry.contents.size() >= kMaxEntryBytes) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "archive-too-large",
                        absl::StrCat("`", entry.name, "` has ", entry.contents.size(),
                                     " bytes; an archive's files have less than ", kMaxEntryBytes));
    }
    AppendHeader(entry, &out);
    out.append(entry.contents);
    out.append((kTarBlock - entry.contents.size() % kTarBlock) % kTarBlock, '\0');
  }
  out.append(2 * kTarBlock, '\0');
  return out;
}

}  // namespace lathe::driver
