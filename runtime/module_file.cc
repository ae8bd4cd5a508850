// Module files: trees of modules as bytes.
//
//   "LATHEMOD"  u32 version  u32 modules  u32 roots
//   per module: u32 kind size, kind; u64 size, bytes; 16 byte digest of the bytes;
//               u32 imports, u32 index of each
//   u32 index of each root
//   16 byte digest of everything before
//
// Little endian. A module comes after its imports, so the index of an import is always smaller than
// the module's own index.

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "base/digest.h"
#include "runtime/module.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr std::string_view kMagic = "LATHEMOD";
constexpr uint32_t kVersion = 1;
constexpr uint32_t kMaxModules = 65536;

void Put(std::string& out, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}
void PutDigest(std::string& out, const Digest& digest) {
  Put(out, digest.low, 8);
  Put(out, digest.high, 8);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  bool Number(int size, uint64_t* out) {
    std::string_view part;
    if (!Bytes(static_cast<uint64_t>(size), &part)) return false;
    *out = 0;
    for (int i = 0; i < size; ++i)
      *out |= static_cast<uint64_t>(static_cast<unsigned char>(part[static_cast<size_t>(i)]))
              << (8 * i);
    return true;
  }
  bool Bytes(uint64_t size, std::string_view* out) {
    if (size > bytes_.size() - at_) return false;
    *out = bytes_.substr(at_, static_cast<size_t>(size));
    at_ += static_cast<size_t>(size);
    return true;
  }
  bool ReadDigest(Digest* out) { return Number(8, &out->low) && Number(8, &out->high); }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

absl::Status Corrupt(size_t at, const std::string& what) {
  return MakeStatus(absl::StatusCode::kDataLoss, "module-file-corrupt",
                    {"the module file is damaged at byte ", std::to_string(at), ": ", what});
}

bool ValidKind(std::string_view kind) {
  if (kind.empty() || kind.size() > 64) return false;
  for (char c : kind)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  return true;
}

// The imports that are not included in the module's own bytes.
std::span<const Module> WrittenImports(const ModuleNode& node) {
  const std::vector<Module>& imports = node.imports();
  return std::span(imports).subspan(std::min(node.saved_imports(), imports.size()));
}

// Imports first, each module once, without recursion.
std::vector<ModuleNode*> PostOrder(const std::vector<Module>& roots) {
  std::vector<ModuleNode*> order;
  std::map<ModuleNode*, bool> seen;  // true: written
  std::vector<std::pair<ModuleNode*, size_t>> stack;
  for (const Module& root : roots) {
    if (seen.count(root.get()) == 0) stack.push_back({root.get(), 0});
    seen[root.get()];
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const std::span<const Module> imports = WrittenImports(*node);
      if (next < imports.size()) {
        ModuleNode* import = imports[next++].get();
        if (seen.try_emplace(import, false).second) stack.push_back({import, 0});
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
  }
  return order;
}

void PutHead(std::string& out, size_t modules, size_t roots) {
  out = kMagic;
  Put(out, kVersion, 4);
  Put(out, modules, 4);
  Put(out, roots, 4);
}

// Writes everything of a module except its imports.
void PutModule(std::string& out, std::string_view kind, std::string_view bytes) {
  Put(out, kind.size(), 4);
  out += kind;
  Put(out, bytes.size(), 8);
  out += bytes;
  PutDigest(out, DigestOf(bytes));
}

absl::StatusOr<std::string> Write(const std::vector<Module>& roots) {
  const std::vector<ModuleNode*> order = PostOrder(roots);
  std::map<const ModuleNode*, uint32_t> index;
  std::string out;
  PutHead(out, order.size(), roots.size());
  for (ModuleNode* node : order) {
    LATHE_ASSIGN_OR_RETURN(const std::string bytes, node->Save());
    PutModule(out, node->kind(), bytes);
    const std::span<const Module> imports = WrittenImports(*node);
    Put(out, imports.size(), 4);
    for (const Module& import : imports) Put(out, index.at(import.get()), 4);
    index.emplace(node, static_cast<uint32_t>(index.size()));
  }
  for (const Module& root : roots) Put(out, index.at(root.get()), 4);
  PutDigest(out, DigestOf(out));
  return out;
}

// A module of the file: its bytes, and the indexes of its imports.
struct Entry {
  std::string_view kind;
  std::string_view bytes;
  std::vector<uint32_t> imports;
};
struct File {
  std::vector<Entry> parts;
  std::vector<uint32_t> roots;
};

absl::Status ReadIndexes(Reader& reader, uint64_t count, uint64_t below,
                         std::vector<uint32_t>* out) {
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index = 0;
    const size_t at = reader.at();
    if (!reader.Number(4, &index)) return Corrupt(at, "it ends inside a list of modules");
    if (index >= below)
      return Corrupt(at, "module " + std::to_string(index) + " of " + std::to_string(below));
    out->push_back(static_cast<uint32_t>(index));
  }
  return absl::OkStatus();
}

absl::StatusOr<File> Read(std::string_view bytes) {
  Reader reader(bytes);
  std::string_view magic;
  uint64_t version = 0, modules = 0, roots = 0;
  if (!reader.Bytes(kMagic.size(), &magic) || magic != kMagic)
    return Corrupt(0, "it does not begin as one");
  if (!reader.Number(4, &version)) return Corrupt(reader.at(), "it ends after its first word");
  if (version != kVersion)
    return MakeStatus(
        absl::StatusCode::kUnimplemented, "module-file-version",
        {"the module file is of another version\nexpected: ", std::to_string(kVersion),
         "\nfound: ", std::to_string(version), "\nhelp: save it again with this version"});
  if (!reader.Number(4, &modules) || !reader.Number(4, &roots))
    return Corrupt(reader.at(), "it ends inside its header");
  if (modules > kMaxModules || roots > kMaxModules)
    return Corrupt(12, "it claims too many modules");
  if (bytes.size() < 16) return Corrupt(bytes.size(), "it ends inside its header");
  const std::string_view body = bytes.substr(0, bytes.size() - 16);
  Digest stored;
  Reader(bytes.substr(body.size())).ReadDigest(&stored);
  const bool whole = stored == DigestOf(body);
  File file;
  for (uint64_t i = 0; i < modules; ++i) {
    Entry& part = file.parts.emplace_back();
    uint64_t size = 0;
    const size_t begin = reader.at();
    if (!reader.Number(4, &size) || size > 64 || !reader.Bytes(size, &part.kind) ||
        !ValidKind(part.kind))
      return Corrupt(begin, "the kind of module " + std::to_string(i));
    const size_t at = reader.at();
    Digest digest;
    if (!reader.Number(8, &size) || !reader.Bytes(size, &part.bytes) || !reader.ReadDigest(&digest))
      return Corrupt(
          at, "it ends inside module " + std::to_string(i) + " (`" + std::string(part.kind) + "`)");
    if (!whole && digest != DigestOf(part.bytes))
      return Corrupt(at, "the contents of module " + std::to_string(i) + " (`" +
                             std::string(part.kind) + "`) have another digest than was stored");
    if (!reader.Number(4, &size))
      return Corrupt(reader.at(), "it ends inside module " + std::to_string(i));
    LATHE_RETURN_IF_ERROR(ReadIndexes(reader, size, i, &part.imports));
  }
  LATHE_RETURN_IF_ERROR(ReadIndexes(reader, roots, modules, &file.roots));
  if (reader.at() != body.size()) return Corrupt(reader.at(), "its parts do not fill it");
  if (!whole) return Corrupt(body.size(), "its digest is another than was stored");
  return file;
}

// The module file with which `bytes` begins, found by the sizes in it alone. If these are invalid,
// all bytes, so that Read reports the error.
std::string_view FirstFile(std::string_view bytes) {
  Reader reader(bytes);
  std::string_view skipped;
  uint64_t modules = 0, roots = 0, size = 0;
  if (!reader.Bytes(kMagic.size() + 4, &skipped) || !reader.Number(4, &modules) ||
      !reader.Number(4, &roots) || modules > kMaxModules || roots > kMaxModules)
    return bytes;
  for (uint64_t i = 0; i < modules; ++i) {
    if (!reader.Number(4, &size) || !reader.Bytes(size, &skipped) || !reader.Number(8, &size) ||
        !reader.Bytes(size, &skipped) || !reader.Bytes(16, &skipped) || !reader.Number(4, &size) ||
        !reader.Bytes(size * 4, &skipped))
      return bytes;
  }
  if (!reader.Bytes(roots * 4 + 16, &skipped)) return bytes;
  return bytes.substr(0, reader.at());
}

absl::StatusOr<std::vector<Module>> Load(std::string_view bytes) {
  LATHE_ASSIGN_OR_RETURN(const File file, Read(bytes));
  std::vector<Module> modules;
  for (const Entry& part : file.parts) {
    LATHE_ASSIGN_OR_RETURN(Module module, LoadModuleBytes(part.kind, part.bytes));
    for (uint32_t import : part.imports) module.Import(modules[import]);
    modules.push_back(std::move(module));
  }
  std::vector<Module> roots;
  for (uint32_t root : file.roots) roots.push_back(modules[root]);
  return roots;
}

}  // namespace

absl::StatusOr<std::string> Module::Serialize() const {
  if (get() == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "module-null", "the module is null");
  return Write({*this});
}

absl::StatusOr<Module> Module::Deserialize(std::string_view bytes) {
  LATHE_ASSIGN_OR_RETURN(std::vector<Module> roots, Load(bytes));
  if (roots.size() != 1)
    return Corrupt(16, std::to_string(roots.size()) + " roots where one is wanted");
  return roots[0];
}

std::string SerializeParts(std::span<const ModulePart> parts) {
  std::string out;
  PutHead(out, parts.size(), parts.size());
  for (const ModulePart& part : parts) {
    PutModule(out, part.kind, part.bytes);
    Put(out, 0, 4);
  }
  for (size_t i = 0; i < parts.size(); ++i) Put(out, i, 4);
  PutDigest(out, DigestOf(out));
  return out;
}

absl::StatusOr<std::vector<ModulePart>> ReadParts(std::string_view bytes) {
  LATHE_ASSIGN_OR_RETURN(const File file, Read(FirstFile(bytes)));
  std::vector<ModulePart> parts;
  for (const Entry& entry : file.parts)
    parts.push_back({std::string(entry.kind), std::string(entry.bytes)});
  return parts;
}

absl::StatusOr<std::string> Module::SerializeImports(size_t first) const {
  if (get() == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "module-null", "the module is null");
  const std::vector<Module>& imports = get()->imports();
  if (first >= imports.size()) return std::string();
  return Write({imports.begin() + static_cast<ptrdiff_t>(first), imports.end()});
}

absl::StatusOr<std::vector<Module>> Module::DeserializeImports(std::string_view bytes) {
  if (bytes.empty()) return std::vector<Module>();
  return Load(bytes);
}

}  // namespace lathe::runtime
