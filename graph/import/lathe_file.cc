#include "graph/import/lathe_file.h"

#include <cstring>
#include <unordered_set>
#include <vector>

#include "base/blob.h"
#include "base/blob_memory.h"
#include "base/error.h"
#include "ir/binary.h"
#include "ir/constants.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

constexpr std::string_view kMagic = "lathe model\n";
constexpr uint64_t kHeadBytes = 12 + 4 + 3 * 8;
constexpr uint64_t kEntryBytes = 32;
constexpr uint64_t kDigestBytes = 16;

uint64_t Aligned(uint64_t at) {
  return (at + Blob::kAlignment - 1) / Blob::kAlignment * Blob::kAlignment;
}

template <class T>
void Append(T value, std::string* out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out->append(bytes, sizeof value);
}

void Append(const Digest& digest, std::string* out) {
  Append(digest.low, out);
  Append(digest.high, out);
}

template <class T>
T Number(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Digest DigestAt(std::string_view bytes, uint64_t at) {
  return {Number<uint64_t>(bytes, at), Number<uint64_t>(bytes, at + 8)};
}

// The data of the graph's constants, each once, in the order of the graph.
std::vector<Ref<const Blob>> DataOf(const ir::GraphModule& module) {
  std::vector<Ref<const Blob>> data;
  std::unordered_set<const Blob*> known;
  ir::ForEach<ir::Constant>(module, [&](const ir::Constant& constant) {
    if (known.insert(constant.data.get()).second) data.push_back(constant.data);
  });
  return data;
}

[[noreturn]] void Corrupt(const std::string& name, const std::string& what) {
  throw Error(Diagnostic{.name = "model-file-corrupt",
                         .message = "`" + name + "` is damaged: " + what,
                         .expected = "a file as `lathe import` writes it",
                         .found = "other bytes",
                         .help = "import the model again, or copy the file again"});
}

}  // namespace

bool IsLatheFile(std::string_view bytes) { return bytes.starts_with(kMagic); }

FileProblem WriteLatheFile(const ir::GraphModule& module, const std::string& path) {
  const std::vector<Ref<const Blob>> data = DataOf(module);
  const std::string graph = ir::EncodeNode(module);
  const uint64_t begin =
      Aligned(kHeadBytes + kEntryBytes * data.size() + graph.size() + kDigestBytes);
  std::string head(kMagic);
  Append(kLatheFileVersion, &head);
  Append(begin, &head);
  Append(uint64_t{graph.size()}, &head);
  Append(uint64_t{data.size()}, &head);
  uint64_t at = begin;
  for (const Ref<const Blob>& blob : data) {
    Append(at, &head);
    Append(uint64_t{blob->size()}, &head);
    Append(blob->digest(), &head);
    at = Aligned(at + blob->size());
  }
  head += graph;
  Append(DigestOf(head), &head);

  NewFile file(path);
  file.Write(head);
  at = head.size();
  uint64_t place = begin;
  for (const Ref<const Blob>& blob : data) {
    file.Write(std::string(place - at, '\0'));
    for (const std::string_view piece : PiecesOf(blob->bytes())) {
      file.Write(piece);
      DropMappedPages(piece);
    }
    at = place + blob->size();
    place = Aligned(at);
  }
  return file.Commit();
}

ir::GraphModule ReadLatheFile(const MappedFile& file, const std::string& name) {
  const std::string_view bytes = file.bytes;
  if (!IsLatheFile(bytes) || bytes.size() < kHeadBytes) Corrupt(name, "it has no head");
  const auto version = Number<uint32_t>(bytes, 12);
  if (version != kLatheFileVersion) {
    throw Error(Diagnostic{.name = "model-file-version",
                           .message = "`" + name + "` is a model file of another version",
                           .expected = std::to_string(kLatheFileVersion),
                           .found = std::to_string(version),
                           .help = "import the model again with this version of Lathe"});
  }
  const auto graph_bytes = Number<uint64_t>(bytes, 24), count = Number<uint64_t>(bytes, 32);
  const uint64_t left = bytes.size() - kHeadBytes;
  if (count > left / kEntryBytes || graph_bytes > left - count * kEntryBytes ||
      left - count * kEntryBytes - graph_bytes < kDigestBytes) {
    Corrupt(name, "it ends within its head");
  }
  const uint64_t graph_at = kHeadBytes + count * kEntryBytes;
  const uint64_t end = graph_at + graph_bytes;
  if (DigestOf(bytes.substr(0, end)) != DigestAt(bytes, end))
    Corrupt(name, "its head does not match its digest");
  // The graph refers to its data by digests: they must be here before it is read.
  std::vector<Ref<const Blob>> data;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t entry = kHeadBytes + i * kEntryBytes;
    const auto at = Number<uint64_t>(bytes, entry), size = Number<uint64_t>(bytes, entry + 8);
    if (at > bytes.size() || size > bytes.size() - at)
      Corrupt(name, "it ends before constant " + std::to_string(i));
    data.push_back(DataOf({bytes.substr(at, size), file.owner}));
    if (data.back()->digest() != DigestAt(bytes, entry + 16))
      Corrupt(name, "constant " + std::to_string(i) + " does not match its digest");
  }
  const auto module =
      ir::RefAs<ir::GraphModuleNode>(ir::DecodeNode(bytes.substr(graph_at, graph_bytes)));
  if (!module) Corrupt(name, "its graph is something else");
  return module;
}

}  // namespace lathe::graph
