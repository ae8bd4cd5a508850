#include "driver/read_artifact.h"

#include <algorithm>
#include <iterator>

#include "runtime/json.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::Metadata;

constexpr std::string_view kBegin = "{\"lathe\":";

// The JSON document at the beginning of `bytes`; empty if its braces do not close within the
// reader's limit.
std::string_view DocumentAt(std::string_view bytes) {
  int depth = 0;
  bool quoted = false;
  const size_t limit = std::min(bytes.size(), runtime::Json::kMaxBytes);
  for (size_t at = 0; at < limit; ++at) {
    const char c = bytes[at];
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return bytes.substr(0, at + 1);
    }
  }
  return {};
}

}  // namespace

absl::StatusOr<Metadata> FindMetadata(std::string_view bytes, const std::string& path) {
  const bool elf = bytes.substr(0, 4) ==
                   "\x7f"
                   "ELF";
  const bool tar = bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
  absl::Status first_failure;
  Metadata found;
  if (elf || tar) {
    for (size_t at = bytes.find(kBegin); at != std::string_view::npos;
         at = bytes.find(kBegin, at + 1)) {
      const std::string_view document = DocumentAt(bytes.substr(at));
      if (document.empty()) continue;
      absl::StatusOr<Metadata> metadata = Metadata::FromJson(document);
      if (metadata.ok()) {
        found.Append(*std::move(metadata));
        at += document.size() - 1;
      } else if (first_failure.ok()) {
        first_failure = metadata.status();
      }
    }
  }
  if (!found.empty()) return found;
  if (!first_failure.ok()) return first_failure;
  return runtime::MakeStatus(
      absl::StatusCode::kFailedPrecondition, "inspect-no-metadata",
      "`" + path +
          "` is no artefact of Lathe\n  expected: an object, a shared library or a "
          "tar archive made by `lathe compile`\n  found: " +
          (elf   ? "an ELF file without metadata"
           : tar ? "a tar archive without metadata"
                 : "a file of another kind") +
          "\n  help: `lathe lower` shows program files, `lathe view` models");
}

std::vector<runtime::ModulePart> TakeImports(std::string* bytes) {
  std::vector<runtime::ModulePart> imports;
  for (size_t at = bytes->find("LATHEMOD"); at != std::string::npos;
       at = bytes->find("LATHEMOD", at + 1)) {
    absl::StatusOr<std::vector<runtime::ModulePart>> parts =
        runtime::ReadParts(std::string_view(*bytes).substr(at));
    if (!parts.ok()) continue;
    bytes->erase(at--, runtime::SerializeParts(*parts).size());
    std::move(parts->begin(), parts->end(), std::back_inserter(imports));
  }
  return imports;
}

}  // namespace lathe::driver
