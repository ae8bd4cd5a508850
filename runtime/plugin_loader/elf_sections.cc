#include "runtime/plugin_loader/elf_sections.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr uint64_t kMaxSections = 65536;
constexpr uint64_t kMaxSectionNames = 4 << 20;
constexpr uint64_t kMaxNameBytes = 256;

absl::Status Malformed(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "elf-malformed",
                    "not a sound ELF file: " + std::string(what));
}

}  // namespace

class ElfSections::Source {
 public:
  virtual ~Source() = default;
  virtual uint64_t size() const = 0;
  // The range must be inside the file. False on an I/O error.
  virtual bool Read(uint64_t offset, char* out, uint64_t size) const = 0;
};

struct ElfSections::FileSource final : ElfSections::Source {
  FileSource(FileHandle file, uint64_t bytes) : file(std::move(file)), bytes(bytes) {}
  uint64_t size() const override { return bytes; }
  bool Read(uint64_t offset, char* out, uint64_t size) const override {
    while (size > 0) {
      const ssize_t got =
          Uninterrupted([&] { return pread(file.get(), out, size, static_cast<off_t>(offset)); });
      if (got <= 0) return false;
      out += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<uint64_t>(got);
    }
    return true;
  }
  FileHandle file;
  uint64_t bytes;
};

struct ElfSections::MemorySource final : ElfSections::Source {
  explicit MemorySource(std::string_view bytes) : bytes(bytes) {}
  uint64_t size() const override { return bytes.size(); }
  bool Read(uint64_t offset, char* out, uint64_t size) const override {
    std::memcpy(out, bytes.data() + offset, size);
    return true;
  }
  std::string_view bytes;
};

ElfSections::ElfSections(std::unique_ptr<Source> source) : source_(std::move(source)) {}

absl::StatusOr<ElfSections> ElfSections::Open(const std::string& path) {
  FileProblem problem;
  FileHandle file = OpenFile(path, &problem);
  struct stat info{};
  if (!problem.ok() || fstat(file.get(), &info) != 0) {
    return MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                      {"cannot read ", path, ": ", problem.text});
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  ElfSections reader(std::make_unique<FileSource>(std::move(file), size));
  LATHE_RETURN_IF_ERROR(reader.ReadHeaders());
  return reader;
}

absl::StatusOr<ElfSections> ElfSections::FromBytes(std::string_view bytes) {
  ElfSections reader(std::make_unique<MemorySource>(bytes));
  LATHE_RETURN_IF_ERROR(reader.ReadHeaders());
  return reader;
}

uint64_t ElfSections::Number(const char* data, int bytes) const {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(data[little_ ? bytes - 1 - i : i]);
    value = value << 8 | byte;
  }
  return value;
}

absl::Status ElfSections::ReadAt(uint64_t offset, uint64_t size, std::string* out) const {
  if (offset > source_->size() || size > source_->size() - offset)
    return Malformed("a part lies outside the file");
  out->resize(size);
  if (!source_->Read(offset, out->data(), size)) {
    return MakeStatus(absl::StatusCode::kUnavailable, "file-unreadable",
                      "the file could not be read to its end");
  }
  return absl::OkStatus();
}

absl::Status ElfSections::ReadHeaders() {
  std::string head;
  if (!ReadAt(0, 16, &head).ok() || head.compare(0, 4,
                                                 "\x7f"
                                                 "ELF") != 0)
    return Malformed("no ELF magic number");
  if ((head[4] != 1 && head[4] != 2) || (head[5] != 1 && head[5] != 2))
    return Malformed("unknown class or byte order");
  is_64_bit_ = head[4] == 2;
  little_ = head[5] == 1;
  const int word = is_64_bit_ ? 8 : 4;
  LATHE_RETURN_IF_ERROR(ReadAt(0, is_64_bit_ ? 64 : 52, &head));
  type_ = static_cast<uint16_t>(Number(&head[16], 2));
  machine_ = static_cast<uint16_t>(Number(&head[18], 2));
  const uint64_t table = Number(&head[is_64_bit_ ? 40 : 32], word);
  const char* tail = &head[is_64_bit_ ? 58 : 46];  // e_shentsize, e_shnum, e_shstrndx
  const uint64_t entry_bytes = Number(tail, 2);
  uint64_t count = Number(tail + 2, 2);
  uint64_t names_index = Number(tail + 4, 2);
  if (table == 0) return absl::OkStatus();  // stripped of its section table
  const uint64_t wanted_bytes = is_64_bit_ ? 64 : 40;
  if (entry_bytes != wanted_bytes) return Malformed("odd size of section headers");

  std::string raw;
  auto parse = [&](const char* at, uint32_t* name) {
    Section section;
    *name = static_cast<uint32_t>(Number(at, 4));
    section.type = static_cast<uint32_t>(Number(at + 4, 4));
    section.offset = Number(at + (is_64_bit_ ? 24 : 16), word);
    section.size = Number(at + (is_64_bit_ ? 32 : 20), word);
    section.link = static_cast<uint32_t>(Number(at + (is_64_bit_ ? 40 : 24), 4));
    return section;
  };
  uint32_t name = 0;
  if (count == 0 || names_index == 0xffff) {  // large numbers are in section 0
    LATHE_RETURN_IF_ERROR(ReadAt(table, entry_bytes, &raw));
    const Section first = parse(raw.data(), &name);
    if (count == 0) count = first.size;
    if (names_index == 0xffff) names_index = first.link;
  }
  if (count > kMaxSections) return Malformed("more than 65536 sections");
  LATHE_RETURN_IF_ERROR(ReadAt(table, count * entry_bytes, &raw));
  std::vector<uint32_t> names(count);
  sections_.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    sections_.push_back(parse(raw.data() + i * entry_bytes, &names[i]));
  if (names_index >= count) return Malformed("no section holds the sections' names");
  LATHE_ASSIGN_OR_RETURN(const std::string text, Read(sections_[names_index], kMaxSectionNames));
  for (uint64_t i = 0; i < count; ++i) {
    if (names[i] >= text.size()) continue;
    const char* start = text.data() + names[i];
    sections_[i].name.assign(
        start, strnlen(start, std::min<uint64_t>(text.size() - names[i], kMaxNameBytes)));
  }
  return absl::OkStatus();
}

const ElfSections::Section* ElfSections::Find(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

absl::StatusOr<std::string> ElfSections::Read(const Section& section, uint64_t most) const {
  constexpr uint32_t kNoBits = 8;
  if (section.type == kNoBits) return std::string();
  if (section.size > most) {
    return Malformed("section " + section.name + " has " + std::to_string(section.size) +
                     " bytes, more than the " + std::to_string(most) + " allowed");
  }
  std::string out;
  LATHE_RETURN_IF_ERROR(ReadAt(section.offset, section.size, &out));
  return out;
}

std::string ElfMachineName(uint16_t machine) {
  switch (machine) {
    case 3:
      return "x86";
    case 40:
      return "arm";
    case 62:
      return "x86-64";
    case 183:
      return "aarch64";
    case 243:
      return "riscv";
    default:
      return "machine " + std::to_string(machine);
  }
}

uint16_t ThisElfMachine() {
#if defined(__x86_64__)
  return 62;
#elif defined(__aarch64__)
  return 183;
#elif defined(__arm__)
  return 40;
#elif defined(__riscv)
  return 243;
#elif defined(__i386__)
  return 3;
#else
#error "name this processor's ELF machine number here"
#endif
}

}  // namespace lathe::runtime
