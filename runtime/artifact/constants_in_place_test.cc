#include "runtime/artifact/constants_in_place.h"

#include <string>

#include "gtest/gtest.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/elf_format.h"

namespace lathe::runtime {
namespace {

using Place = ElfSymbol::Place;

// Relocations of x86-64 by number: an entry of the global offset table, and direct references.
constexpr uint32_t kGotRelative = 9, kRelative = 2, kWord64 = 1;
constexpr const char* kName = LATHE_CONSTANT_PREFIX "1";

// Code that reaches one constant.
class TakeConstantsTest : public testing::Test {
 protected:
  TakeConstantsTest() {
    object_.machine = elf::kMachineX8664;
    object_.sections.resize(3);
    code().type = constant().type = elf::kSectionProgbits;
    code().flags = elf::kFlagAlloc | elf::kFlagExec;
    code().contents = "\xc3";
    code().relocations = {{.offset = 0, .type = kGotRelative, .symbol = 1, .addend = -4}};
    constant().flags = elf::kFlagAlloc;
    constant().contents = {data_, sizeof(data_)};
    constant().size = sizeof(data_);
    object_.symbols.resize(2);
    symbol().name = kName;
    symbol().size = sizeof(data_);
    symbol().place = Place::kSection;
    symbol().section = 2;
  }
  ElfSection& code() { return object_.sections[1]; }
  ElfSection& constant() { return object_.sections[2]; }
  ElfSymbol& symbol() { return object_.symbols[1]; }
  size_t Taken() { return TakeConstants(*FindMachine(object_.machine, true), &object_).size(); }
  void ExpectKept() {
    EXPECT_EQ(Taken(), 0u);
    EXPECT_EQ(symbol().place, Place::kSection);
    EXPECT_FALSE(constant().contents.empty());
  }

  alignas(64) char data_[128] = {};
  ElfObject object_;
};

TEST_F(TakeConstantsTest, BecomesAnImport) {
  const auto taken = TakeConstants(*FindMachine(object_.machine, true), &object_);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken.at(kName), data_);
  EXPECT_EQ(symbol().place, Place::kUndefined);
  EXPECT_TRUE(symbol().is_global());
  EXPECT_TRUE(constant().contents.empty());
  EXPECT_EQ(constant().flags & elf::kFlagAlloc, 0u);
  EXPECT_EQ(Taken(), 0u);
}

TEST_F(TakeConstantsTest, DirectReferencesKeepIt) {
  for (const uint32_t type : {kRelative, kWord64, uint32_t{9999}}) {
    code().relocations[0].type = type;
    ExpectKept();
  }
}

TEST_F(TakeConstantsTest, ReferencesToTheSectionKeepIt) {
  ElfSymbol section;
  section.type = elf::kSymbolSection;
  section.place = Place::kSection;
  section.section = 2;
  object_.symbols.push_back(section);
  code().relocations.push_back({.offset = 0, .type = kGotRelative, .symbol = 2, .addend = -4});
  ExpectKept();
  code().relocations.pop_back();
  EXPECT_EQ(Taken(), 1u);
}

TEST_F(TakeConstantsTest, OnlyLathesConstants) {
  symbol().name = "table";
  ExpectKept();
}

TEST_F(TakeConstantsTest, OnlyWhatIsAloneInItsSection) {
  symbol().size = 64;
  ExpectKept();
  symbol().size = 128;
  object_.symbols.push_back(symbol());
  ExpectKept();
}

TEST_F(TakeConstantsTest, OnlyAlignedReadOnlyBytes) {
  constant().contents.remove_prefix(8);
  constant().size = symbol().size = constant().contents.size();
  ExpectKept();
  constant().contents = {data_, sizeof(data_)};
  constant().size = symbol().size = sizeof(data_);
  constant().flags |= elf::kFlagWrite;
  ExpectKept();
  constant().flags = elf::kFlagAlloc;
  constant().relocations = {{.offset = 0, .type = kWord64, .symbol = 1, .addend = 0}};
  ExpectKept();
}

}  // namespace
}  // namespace lathe::runtime
