#include "runtime/artifact/tar_writer.h"

#include <cstdint>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 33;  // 11 octal digits

std::string Octal(uint64_t value, size_t digits) {
  std::string out(digits, '0');
  for (size_t i = digits; i > 0 && value != 0; value >>= 3)
    out[--i] = static_cast<char>('0' + (value & 7));
  return out;
}

// The header block. Owner 0, time 0, mode 644.
std::string Header(const TarEntry& entry) {
  std::string header(kTarBlock, '\0');
  auto put = [&](size_t at, std::string_view text) { header.replace(at, text.size(), text); };
  put(0, entry.name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, Octal(entry.contents.size(), 11));
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, Octal(sum, 6));
  header[154] = '\0';
  return header;
}

}  // namespace

absl::StatusOr<Pieces> WriteTar(absl::Span<const TarEntry> entries) {
  Pieces out;
  std::unordered_set<std::string_view> seen;
  for (const TarEntry& entry : entries) {
    if (!IsPlainEntryName(entry.name) || entry.name.size() > kMaxTarName) {
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "archive-name",
          absl::StrCat("`", entry.name,
                       "` cannot name a file of an archive: expected a relative path of "
                       "at most ",
                       kMaxTarName, " bytes without `..`"));
    }
    if (!seen.insert(entry.name).second) {
      return MakeStatus(absl::StatusCode::kInvalidArgument, "archive-name",
                        absl::StrCat("two files of an archive are named `", entry.name, "`"));
    }
    if (uint64_t{entry.contents.size()} >= kMaxEntryBytes) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "archive-too-large",
                        absl::StrCat("`", entry.name, "` has ", entry.contents.size(),
                                     " bytes; an archive's files have less than ", kMaxEntryBytes));
    }
    out.Append(Header(entry));
    out.Borrow(entry.contents);
    out.PadTo(kTarBlock);
  }
  out.Append(std::string(2 * kTarBlock, '\0'));
  return out;
}

}  // namespace lathe::runtime
