#include "runtime/artifact/tar.h"

#include <cstdio>

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// One entry as a tar program writes it; `type` and the rest may be damaged afterwards.
std::string Entry(const std::string& name, const std::string& contents, char type = '0') {
  std::string header(kTarBlock, '\0');
  auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  char octal[13];
  std::snprintf(octal, sizeof octal, "%011zo", contents.size());
  put(124, octal);
  put(148, "        ");
  header[156] = type;
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, octal);
  header[154] = '\0';
  return header + contents + std::string((kTarBlock - contents.size() % kTarBlock) % kTarBlock, '\0');
}

const std::string kEnd(2 * kTarBlock, '\0');

std::string Failure(const std::string& bytes) {
  return std::string(StatusName(ReadTar(bytes, "test").status()));
}

TEST(TarTest, ReadsFilesInOrder) {
  const std::string long_contents(1000, 'x');
  const std::string bytes = Entry("b.o", "two") + Entry("folder", "", '5') + Entry("folder/a.o", long_contents) +
                            Entry("empty", "", '\0') + kEnd;
  EXPECT_TRUE(LooksLikeTar(bytes));
  const auto entries = ReadTar(bytes, "test");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "b.o");
  EXPECT_EQ((*entries)[0].contents, "two");
  EXPECT_EQ((*entries)[1].name, "folder/a.o");
  EXPECT_EQ((*entries)[1].contents, long_contents);
  EXPECT_EQ((*entries)[2].contents, "");
}

TEST(TarTest, AnEmptyArchiveIsFine) {
  const auto entries = ReadTar(kEnd, "test");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_TRUE(entries->empty());
}

TEST(TarTest, EveryTruncationIsAnError) {
  const std::string whole = Entry("a.o", "one") + Entry("b.o", "two") + kEnd;
  for (size_t size = 0; size < whole.size() - kTarBlock; ++size) {
    EXPECT_EQ(Failure(whole.substr(0, size)), "artifact-corrupt") << size;
  }
}

TEST(TarTest, DamageIsAnError) {
  const std::string whole = Entry("a.o", "one") + kEnd;
  for (const size_t at : {0u, 100u, 130u, 148u, 156u, 257u, 300u}) {
    std::string damaged = whole;
    damaged[at] ^= 0x11;
    EXPECT_EQ(Failure(damaged), "artifact-corrupt") << at;
  }
}

TEST(TarTest, NamesStayInsideTheFolder) {
  for (const std::string name : {"/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a/", "", "a\\b", "a\nb"}) {
    EXPECT_FALSE(IsPlainEntryName(name)) << name;
    EXPECT_EQ(Failure(Entry(name, "x") + kEnd), "artifact-corrupt") << name;
  }
  EXPECT_TRUE(IsPlainEntryName("a"));
  EXPECT_TRUE(IsPlainEntryName("a..b/.c"));
}

TEST(TarTest, TwoFilesOfOneNameAreAnError) {
  EXPECT_EQ(Failure(Entry("a.o", "one") + Entry("a.o", "two") + kEnd), "artifact-corrupt");
}

TEST(TarTest, LinksAndExtensionsAreRefused) {
  for (const char type : {'1', '2', '3', 'L', 'x'}) {
    EXPECT_EQ(Failure(Entry("a.o", "", type) + kEnd), "artifact-unsupported") << type;
  }
}

}  // namespace
}  // namespace lathe::runtime
