#include "runtime/artifact/tar_writer.h"

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// The archive as one string.
absl::StatusOr<std::string> Written(absl::Span<const TarEntry> entries) {
  const auto pieces = WriteTar(entries);
  if (!pieces.ok()) return pieces.status();
  return pieces->Join();
}

TEST(TarWriterTest, WhatIsWrittenIsRead) {
  const std::string large(70000, 'x');
  const std::vector<TarEntry> entries = {
      {"b.o", "two"}, {"folder/a.o", large}, {"empty.o", ""}, {std::string(100, 'n'), "n"}};
  const auto bytes = Written(entries);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(LooksLikeTar(*bytes));
  const auto read = ReadTar(*bytes, "test");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ((*read)[i].name, entries[i].name);
    EXPECT_EQ((*read)[i].contents, entries[i].contents);
  }
}

TEST(TarWriterTest, SameEntriesGiveSameBytes) {
  const std::vector<TarEntry> entries = {{"a.o", "one"}};
  const auto bytes = Written(entries);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, *Written(entries));
  EXPECT_EQ(bytes->size(), 2048u);
  // No owner and no time.
  EXPECT_EQ(bytes->substr(100, 7), "0000644");
  EXPECT_EQ(bytes->substr(108, 7), "0000000");
  EXPECT_EQ(bytes->substr(136, 11), "00000000000");
}

TEST(TarWriterTest, NamesThatDoNotFitAreRefused) {
  for (const std::string& name :
       {std::string("../a"), std::string("/a"), std::string(), std::string(101, 'n')}) {
    EXPECT_EQ(StatusName(WriteTar({TarEntry{name, ""}}).status()), "archive-name") << name;
  }
  EXPECT_EQ(StatusName(WriteTar({TarEntry{"a", ""}, TarEntry{"a", ""}}).status()), "archive-name");
}

TEST(TarWriterTest, HugeFilesAreRefused) {
  // Never read: only the size matters.
  const std::string_view huge("x", size_t{1} << 33);
  EXPECT_EQ(StatusName(WriteTar({TarEntry{"huge", huge}}).status()), "archive-too-large");
}

}  // namespace
}  // namespace lathe::runtime
