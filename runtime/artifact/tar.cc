#include "runtime/artifact/tar.h"

#include <cstdint>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// Fields of a header block.
struct Field {
  size_t offset, size;
};
constexpr Field kName = {0, 100}, kSize = {124, 12}, kChecksum = {148, 8}, kType = {156, 1},
                kMagic = {257, 5}, kPrefix = {345, 155};

std::string_view Raw(std::string_view header, Field field) {
  return header.substr(field.offset, field.size);
}

// The field up to the first NUL.
std::string_view Text(std::string_view header, Field field) {
  const std::string_view raw = Raw(header, field);
  return raw.substr(0, raw.find('\0'));
}

// Octal digits with blanks before and blanks or NULs after.
bool Octal(std::string_view text, uint64_t* out) {
  size_t i = 0;
  while (i < text.size() && text[i] == ' ') ++i;
  uint64_t value = 0;
  const size_t start = i;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '7'; ++i)
    value = value * 8 + (text[i] - '0');
  if (i == start) return false;
  for (; i < text.size(); ++i) {
    if (text[i] != ' ' && text[i] != '\0') return false;
  }
  *out = value;
  return true;
}

// The sum of the block's bytes; the bytes of the checksum field count as blanks.
uint64_t Checksum(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    const bool own = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    sum += own ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

bool HasChecksum(std::string_view header) {
  uint64_t stated = 0;
  return Octal(Raw(header, kChecksum), &stated) && stated == Checksum(header);
}

}  // namespace

bool LooksLikeTar(std::string_view bytes) {
  if (bytes.size() < kTarBlock) return false;
  const std::string_view header = bytes.substr(0, kTarBlock);
  return Raw(header, kMagic) == "ustar" && HasChecksum(header);
}

bool IsPlainEntryName(std::string_view name) {
  if (name.empty()) return false;
  for (size_t start = 0; start <= name.size();) {
    size_t end = name.find('/', start);
    if (end == std::string_view::npos) end = name.size();
    const std::string_view part = name.substr(start, end - start);
    if (part.empty() || part == "." || part == "..") return false;
    start = end + 1;
  }
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return false;
  }
  return true;
}

absl::StatusOr<std::vector<TarEntry>> ReadTar(std::string_view bytes, std::string_view name) {
  auto bad = [&](size_t at, std::string_view what) {
    return MakeStatus(
        absl::StatusCode::kDataLoss, "artifact-corrupt",
        absl::StrCat("`", name, "` is not a well-formed tar archive: at byte ", at, " ", what,
                     "; the file is truncated or damaged: build or copy it again"));
  };
  std::vector<TarEntry> entries;
  std::unordered_set<std::string> seen;
  size_t at = 0;
  while (true) {
    if (bytes.size() - at < kTarBlock) return bad(at, "the end mark is missing");
    const std::string_view header = bytes.substr(at, kTarBlock);
    // A block of zeros ends the archive.
    if (header.find_first_not_of('\0') == std::string_view::npos) break;
    if (Raw(header, kMagic) != "ustar") return bad(at, "there is no ustar header");
    if (!HasChecksum(header)) return bad(at, "the header's checksum is wrong");
    uint64_t size = 0;
    if (!Octal(Raw(header, kSize), &size)) return bad(at, "the size is no number");
    const size_t data = at + kTarBlock;
    if (size > bytes.size() - data)
      return bad(at, absl::StrCat("a file of ", size, " bytes is cut off"));
    const size_t padded = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    if (padded > bytes.size() - data) return bad(at, "a file's last block is cut off");

    TarEntry entry;
    const std::string_view prefix = Text(header, kPrefix);
    entry.name = prefix.empty() ? std::string(Text(header, kName))
                                : absl::StrCat(prefix, "/", Text(header, kName));
    const char type = Raw(header, kType)[0];
    if (type == '0' || type == '\0') {
      if (!IsPlainEntryName(entry.name)) {
        return bad(at, "a file's name leaves the archive's folder, is empty or has odd characters");
      }
      if (!seen.insert(entry.name).second)
        return bad(at, absl::StrCat("`", entry.name, "` occurs a second time"));
      if (entries.size() >= kMaxTarEntries) return bad(at, "there are too many files");
      entry.contents = bytes.substr(data, size);
      entries.push_back(std::move(entry));
    } else if (type != '5' && type != 'g') {  // a folder, or global comments
      return MakeStatus(
          absl::StatusCode::kUnimplemented, "artifact-unsupported",
          absl::StrCat("the tar archive `", name, "` has an entry of type '", std::string(1, type),
                       "' at byte ", at, "; expected regular files with names of at most ",
                       kMaxTarName, " bytes (tar --format=ustar)"));
    }
    at = data + padded;
  }
  return entries;
}

}  // namespace lathe::runtime
