#include "runtime/artifact/elf_object.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/machine.h"
#include "runtime/artifact/test_objects.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using ::testing::TestWithParam;

// Loads objects of testdata for `machine`, with process symbols and the test's.
absl::StatusOr<std::unique_ptr<LoadedElf>> LoadNamed(const std::vector<std::string>& names,
                                                     const std::string& machine,
                                                     ElfLoadOptions options = {}) {
  std::vector<std::string> contents;
  std::vector<ObjectBytes> objects;
  for (const std::string& name : names) contents.push_back(ReadTestObject(name, machine));
  for (size_t i = 0; i < names.size(); ++i) objects.push_back({names[i], contents[i]});
  options.sources.push_back(TestSymbols());
  return LoadedElf::Load(objects, options);
}

absl::StatusOr<std::unique_ptr<LoadedElf>> LoadHost(const std::vector<std::string>& names,
                                                    ElfLoadOptions options = {}) {
  return LoadNamed(names, HostMachine()->name, std::move(options));
}

void CheckKernels(const LoadedElf& loaded, int count = 0) {
  TestKernels([&](const char* name) { return loaded.Find(name); }).Check(count);
}

TEST(ElfObjectTest, RunsObjectsLinkedTogether) {
  auto loaded = LoadHost({"kernels", "callee"});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  CheckKernels(**loaded);
  CheckKernels(**loaded, 1);
}

TEST(ElfObjectTest, EveryLoadHasItsOwnData) {
  for (int i = 0; i < 3; ++i) {
    auto loaded = LoadHost({"callee", "kernels"});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    CheckKernels(**loaded);
  }
}

TEST(ElfObjectTest, IslandsOfStubsCarryCallsFurther) {
  // The reach is so short that every function has its own island.
  ElfLoadOptions options;
  options.branch_reach = 64;
  auto loaded = LoadHost({"kernels_sections", "callee_sections"}, options);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  CheckKernels(**loaded);
}

TEST(ElfObjectTest, ThumbAndArmCodeCallEachOther) {
  if (HostMachine() != &kArm) GTEST_SKIP() << "only on Arm";
  const std::string thumb = ReadTestObject("kernels", "thumb"),
                    arm = ReadTestObject("callee", "arm");
  const std::string arm_kernels = ReadTestObject("kernels", "arm"),
                    thumb_callee = ReadTestObject("callee", "thumb");
  ElfLoadOptions options;
  options.sources.push_back(TestSymbols());
  for (const std::vector<ObjectBytes>& objects :
       {std::vector<ObjectBytes>{{"thumb", thumb}, {"arm", arm}},
        std::vector<ObjectBytes>{{"arm", arm_kernels}, {"thumb", thumb_callee}},
        std::vector<ObjectBytes>{{"thumb", thumb}, {"thumb callee", thumb_callee}}}) {
    auto loaded = LoadedElf::Load(objects, options);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    CheckKernels(**loaded);
  }
}

TEST(ElfObjectTest, ImportedObjectsGoBeforeSources) {
  ElfLoadOptions options;
  // Wrong symbols, which must not be used.
  options.sources.insert(
      options.sources.begin(),
      SymbolTable("liar", {{"CalleeScale", nullptr}, {"callee_table", &options}}));
  auto loaded = LoadHost({"kernels", "callee"}, options);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  CheckKernels(**loaded);
}

TEST(ElfObjectTest, SourcesAreAskedInOrder) {
  ElfLoadOptions options;
  auto seven = +[](int32_t) -> int32_t { return 7; };
  options.sources.insert(options.sources.begin(),
                         SymbolTable("mine", {{"TestCallback", reinterpret_cast<void*>(seven)}}));
  auto loaded = LoadHost({"kernels", "callee"}, options);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(reinterpret_cast<int32_t (*)(int32_t)>((*loaded)->Find("Callback"))(1), 8);
}

TEST(ElfObjectTest, SaysWhatLiesWhere) {
  auto loaded = LoadHost({"kernels", "callee"});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const LoadedElf& elf = **loaded;
  EXPECT_TRUE(elf.ContainsCode(elf.Find("Add")));
  EXPECT_FALSE(elf.ContainsCode(elf.Find("constants")));
  EXPECT_TRUE(elf.Contains(elf.Find("constants"), 16));
  EXPECT_TRUE(elf.Contains(elf.Find("zeros"), 4000));
  EXPECT_FALSE(elf.Contains(elf.Find("zeros"), UINT64_MAX));
  EXPECT_FALSE(elf.Contains(&elf, 1));
  EXPECT_EQ(elf.Find("NoSuchThing"), nullptr);
  EXPECT_EQ(static_cast<const float*>(elf.Find("constants"))[1], 1.25f);
}

TEST(ElfObjectTest, UnresolvedSymbolsAreNamed) {
  ElfLoadOptions options;
  auto loaded = LoadHost({"kernels"}, options);
  EXPECT_EQ(StatusName(loaded.status()), "artifact-unresolved-symbol");
  const std::string text(StatusText(loaded.status()));
  EXPECT_NE(text.find("CalleeScale"), std::string::npos) << text;
  EXPECT_NE(text.find("callee_table"), std::string::npos) << text;
  EXPECT_NE(text.find("kernels"), std::string::npos) << text;
  EXPECT_EQ(text.find("AbsentFunction"), std::string::npos) << text;
}

TEST(ElfObjectTest, DuplicateSymbolsNameBothObjects) {
  auto loaded = LoadHost({"kernels", "callee", "callee_sections"});
  EXPECT_EQ(StatusName(loaded.status()), "artifact-duplicate-symbol");
  EXPECT_NE(StatusText(loaded.status()).find("callee_sections"), std::string_view::npos);
}

TEST(ElfObjectTest, ForeignMachineNamesBothSides) {
  const std::string foreign = HostMachine() == &kAArch64 ? "x86_64" : "aarch64";
  auto loaded = LoadNamed({"kernels", "callee"}, foreign);
  EXPECT_EQ(StatusName(loaded.status()), "artifact-machine");
  const std::string text(StatusText(loaded.status()));
  EXPECT_NE(text.find(foreign), std::string::npos) << text;
  EXPECT_NE(text.find(HostMachine()->name), std::string::npos) << text;
}

TEST(ElfObjectTest, TooLargeImagesAreRefused) {
  ElfLoadOptions options;
  options.max_image_bytes = 1000;
  EXPECT_EQ(StatusName(LoadHost({"kernels", "callee"}, options).status()), "artifact-too-large");
}

TEST(ElfObjectTest, NothingIsAnError) {
  EXPECT_EQ(StatusName(LoadedElf::Load({}, {}).status()), "artifact-corrupt");
  EXPECT_EQ(StatusName(LoadedElf::Load({ObjectBytes{"empty", ""}}, {}).status()),
            "artifact-corrupt");
  EXPECT_EQ(StatusName(LoadedElf::Load({ObjectBytes{"text", "int main() {}"}}, {}).status()),
            "artifact-corrupt");
}

TEST(ElfObjectTest, SharedLibrariesAreNoObjects) {
  std::string bytes = ReadTestObject("callee");
  bytes[16] = 3;  // e_type
  const absl::Status status = LoadedElf::Load({ObjectBytes{"library", bytes}}, {}).status();
  EXPECT_EQ(StatusName(status), "artifact-not-an-object");
  EXPECT_NE(StatusText(status).find("shared library"), std::string_view::npos);
}

TEST(ElfObjectTest, EveryTruncationIsAnError) {
  const std::string whole = ReadTestObject("callee");
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(LoadedElf::Load({ObjectBytes{"cut", cut}}, {}).ok()) << size;
  }
}

TEST(ElfObjectTest, NoByteCrashesTheLoader) {
  const std::string whole = ReadTestObject("callee");
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ change);
      ElfLoadOptions options;
      options.max_image_bytes = 1 << 24;
      (void)LoadedElf::Load({ObjectBytes{"changed", changed}}, options);
    }
  }
}

TEST(ElfObjectTest, OverlappingSectionsAreRefused) {
  // All section headers are changed to span the whole file: a small file must not cause unlimited
  // work.
  std::string bytes = ReadTestObject("callee");
  if (!HostMachine()->is_64) GTEST_SKIP() << "offsets below are those of 64-bit objects";
  const auto table = ReadLittle<uint64_t>(&bytes[40]);
  const auto count = ReadLittle<uint16_t>(&bytes[60]);
  for (int i = 1; i < count; ++i) {
    char* header = &bytes[table + i * 64];
    if (ReadLittle<uint32_t>(header + 4) == 8) continue;
    WriteLittle<uint64_t>(header + 24, 0);
    WriteLittle<uint64_t>(header + 32, bytes.size());
  }
  const absl::Status status = LoadedElf::Load({ObjectBytes{"overlap", bytes}}, {}).status();
  EXPECT_EQ(StatusName(status), "artifact-corrupt");
  EXPECT_NE(StatusText(status).find("overlap"), std::string_view::npos) << status;
}

// An object whose symbols' names all end at the same byte: half a gigabyte of names in 1.3 MB.
std::string ObjectOfNamesInOneAnother() {
  constexpr uint64_t kSymbols = 32000, kHeader = 64, kNames = kHeader + 3 * 64;
  const std::string names = '\0' + std::string(kSymbols, 'a') + '\0';
  const uint64_t symbols_at = kNames + names.size();
  std::string out(kHeader, '\0');
  const auto put = [&out](uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? number >> (8 * i) : 0);
  };
  out.replace(0, 7,
              std::string("\x7f"
                          "ELF\2\1\1",
                          7));
  out[16] = 1;        // relocatable
  out[18] = 62;       // x86_64
  out[40] = kHeader;  // e_shoff
  out[58] = 64;
  out[60] = 3;
  out[62] = 1;  // names of sections
  const auto section = [&](uint32_t type, uint64_t at, uint64_t size, uint32_t link, int entry) {
    put(0, 4);
    put(type, 4);
    put(0, 16);
    put(at, 8);
    put(size, 8);
    put(link, 4);
    put(1, 4);
    put(1, 8);
    put(static_cast<uint64_t>(entry), 8);
  };
  section(0, 0, 0, 0, 0);
  section(3, kNames, names.size(), 0, 0);
  section(2, symbols_at, (kSymbols + 1) * 24, 1, 24);
  out += names;
  out.append(24, '\0');
  for (uint64_t i = 0; i < kSymbols; ++i) {
    put(1 + i, 4);
    put(1 << 4, 4);  // global, undefined
    put(0, 16);
  }
  return out;
}

TEST(ElfObjectTest, NamesThatLieInOneAnotherAreRefused) {
  const std::string object = ObjectOfNamesInOneAnother();
  const auto loaded = LoadedElf::Load({ObjectBytes{"names.o", object}}, {});
  EXPECT_EQ(StatusName(loaded.status()), "artifact-corrupt");
  EXPECT_NE(loaded.status().message().find("names of sections and symbols that lie in one another"),
            std::string_view::npos)
      << loaded.status();
}

TEST(ElfObjectTest, UnknownRelocationsAreNamed) {
  if (!HostMachine()->is_64) GTEST_SKIP() << "offsets below are those of 64-bit objects";
  std::string bytes = ReadTestObject("callee");
  const auto table = ReadLittle<uint64_t>(&bytes[40]);
  const auto count = ReadLittle<uint16_t>(&bytes[60]);
  bool changed = false;
  for (int i = 1; i < count && !changed; ++i) {
    const char* header = &bytes[table + i * 64];
    const auto target = ReadLittle<uint32_t>(header + 44);  // sh_info
    if (ReadLittle<uint32_t>(header + 4) != 4 || ReadLittle<uint64_t>(header + 32) == 0) continue;
    // Only those of code, because unwind sections are not loaded.
    if ((ReadLittle<uint64_t>(&bytes[table + target * 64 + 8]) & 4) == 0) continue;
    WriteLittle<uint32_t>(&bytes[ReadLittle<uint64_t>(header + 24) + 8], 999);
    changed = true;
  }
  ASSERT_TRUE(changed);
  const absl::Status status = LoadedElf::Load({ObjectBytes{"odd.o", bytes}}, {}).status();
  EXPECT_EQ(StatusName(status), "artifact-relocation");
  EXPECT_NE(StatusText(status).find("999"), std::string_view::npos) << status;
  EXPECT_NE(StatusText(status).find("odd.o"), std::string_view::npos) << status;
}

TEST(ElfObjectTest, MemoryThatIsNotThereIsAnError) {
  EXPECT_EQ(StatusName(ExecutableMemory::Allocate(SIZE_MAX / 2, 4096).status()), "artifact-memory");
}

class MisuseTest : public TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(MisuseTest, IsRefusedWithReason) {
  if (HostMachine() != &kX8664) GTEST_SKIP() << "objects of x86_64";
  auto loaded = LoadHost({GetParam().first});
  EXPECT_EQ(StatusName(loaded.status()), "artifact-unsupported") << loaded.status();
  EXPECT_NE(StatusText(loaded.status()).find(GetParam().second), std::string_view::npos)
      << loaded.status();
}

INSTANTIATE_TEST_SUITE_P(
    All, MisuseTest,
    ::testing::Values(std::pair("thread_local", "thread-local"),
                      std::pair("constructor", "constructors"), std::pair("ifunc", "IFUNC"),
                      std::pair("writable_code", "both writable and executable")));

TEST(ElfObjectTest, PositionDependentCodeIsRefused) {
  if (HostMachine() != &kX8664) GTEST_SKIP() << "objects of x86_64";
  auto loaded = LoadHost({"kernels_non_pic", "callee"});
  EXPECT_EQ(StatusName(loaded.status()), "artifact-not-position-independent");
  EXPECT_NE(StatusText(loaded.status()).find("-fPIC"), std::string_view::npos) << loaded.status();
}

}  // namespace
}  // namespace lathe::runtime
