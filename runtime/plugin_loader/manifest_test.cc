#include "runtime/plugin_loader/manifest.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "runtime/plugin_loader/elf_sections.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr char kHead[] = R"({"lathe": 1, "name": "acme", "version": "1.2", "abi": [1, 1])";

TEST(Manifest, ReadsWhatIsThere) {
  const auto manifest = Manifest::Parse(std::string(kHead) + R"(, "doc": "An accelerator",
      "devices": [{"kind": "acme", "dlpack": 77}], "modules": [{"kind": "acme", "serial": true}],
      "targets": [{"kind": "acme", "anything": "is checked where a compiler is"}]})");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->name, "acme");
  EXPECT_EQ(manifest->version, "1.2");
  EXPECT_EQ(manifest->abi_highest, 1);
  ASSERT_EQ(manifest->devices.size(), 1u);
  EXPECT_EQ(manifest->devices[0].dlpack, 77);
  ASSERT_EQ(manifest->modules.size(), 1u);
  EXPECT_TRUE(manifest->modules[0].serial);
  EXPECT_EQ(manifest->target_kinds, std::vector<std::string>{"acme"});
  EXPECT_EQ(manifest->targets.items().size(), 1u);
}

TEST(Manifest, SaysWhatIsWrongAndWhere) {
  const std::string head = kHead;
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1, column 1: expected a value, found the end"},
      {"[]", "the manifest must be an object, not an array"},
      {R"({"lathe": 2, "name": "a"})", "newer than this Lathe's 1"},
      {R"({"lathe": 1, "version": "1", "abi": [1, 1]})", "name is missing"},
      {R"({"lathe": 1, "name": "Acme", "version": "1", "abi": [1, 1]})",
       "name must be at most 64 lower-case letters"},
      {R"({"lathe": 1, "name": "a", "version": "1", "abi": [2, 1]})",
       "abi must be [lowest, highest]"},
      {head + ",\n \"device\": []}", "did you mean `devices`? (line 2)"},
      {head + R"(, "devices": {}})", "devices must be an array of objects, not an object"},
      {head + R"(, "devices": [1]})", "devices[0] must be an object, not an integer"},
      {head + R"(, "devices": [{"kind": "x", "dlpack": 40000}]})",
       "devices[0].dlpack must be in [0, 32767]"},
      {head + R"(, "devices": [{"kind": "x"}, {"kind": "x"}]})", "devices lists kind `x` twice"},
      {head + R"(, "modules": [{"kind": "x", "serial": 1}]})",
       "modules[0].serial must be true or false"},
      {head + R"(, "targets": [{}]})", "targets[0].kind is missing"},
      {head + "} x", "expected nothing more after the document"},
      {head + R"(, "name": "b"})", "each key once"},
  };
  for (const auto& [text, expected] : cases) {
    const auto manifest = Manifest::Parse(text);
    ASSERT_FALSE(manifest.ok()) << text;
    EXPECT_EQ(StatusName(manifest.status()), "manifest-malformed");
    EXPECT_NE(manifest.status().message().find(expected), std::string_view::npos)
        << manifest.status() << "\n"
        << text;
  }
}

TEST(Manifest, RefusesWhatIsTooLargeOrTooDeep) {
  EXPECT_FALSE(Manifest::Parse(std::string(kMaxManifestBytes + 1, ' ')).ok());
  EXPECT_FALSE(Manifest::Parse(std::string(100000, '[')).ok());
}

// A 64-bit little-endian library with one named section and its text.
std::string LibraryWith(const std::string& section, const std::string& text) {
  const std::string names = std::string("\0", 1) + section + std::string("\0", 1);
  std::string file(64, '\0');
  const auto put = [&file](size_t at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      file[at + static_cast<size_t>(i)] = static_cast<char>(value >> (8 * i));
  };
  std::memcpy(file.data(),
              "\x7f"
              "ELF\x02\x01\x01",
              7);
  put(16, 3, 2);
  put(18, 183, 2);
  const size_t text_at = file.size();
  file += text;
  const size_t names_at = file.size();
  file += names;
  const size_t table = file.size();
  put(40, table, 8);
  put(58, 64, 2);
  put(60, 3, 2);
  put(62, 2, 2);
  file.resize(table + 3 * 64);
  put(table + 64, 1, 4);
  put(table + 64 + 4, 1, 4);
  put(table + 64 + 24, text_at, 8);
  put(table + 64 + 32, text.size(), 8);
  put(table + 128 + 4, 3, 4);
  put(table + 128 + 24, names_at, 8);
  put(table + 128 + 32, names.size(), 8);
  return file;
}

TEST(Manifest, IsReadFromALibraryOfAnotherProcessor) {
  const std::string text = std::string(kHead) + "}";
  const auto manifest =
      ReadManifestFromBytes(LibraryWith(".lathe.manifest", text + std::string(3, '\0')));
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->text, text);
  EXPECT_EQ(ElfMachineName(manifest->elf_machine), "aarch64");
}

TEST(Manifest, LibrariesWithoutOneAndDamagedOnesAreErrors) {
  EXPECT_EQ(StatusName(ReadManifestFromBytes(LibraryWith(".other", "{}")).status()),
            "plugin-no-manifest");
  EXPECT_EQ(StatusName(ReadManifestFromBytes("not an ELF file at all").status()), "elf-malformed");
  EXPECT_EQ(StatusName(ReadManifest("/nonexistent/acme.so").status()), "file-unreadable");
  EXPECT_EQ(StatusName(ReadManifest("/").status()), "file-unreadable");
  const std::string library = LibraryWith(".lathe.manifest", std::string(kHead) + "}");
  for (size_t size = 0; size < library.size(); ++size) {
    EXPECT_FALSE(ReadManifestFromBytes(std::string_view(library).substr(0, size)).ok()) << size;
  }
  // With a wrong byte anywhere, reading gives some result and does not crash.
  for (size_t at = 0; at < library.size(); ++at) {
    std::string damaged = library;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    static_cast<void>(ReadManifestFromBytes(damaged));
  }
}

}  // namespace
}  // namespace lathe::runtime
