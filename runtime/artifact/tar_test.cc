#include "runtime/artifact/tar.h"

#include "gtest/gtest.h"
#include "runtime/artifact/test_objects.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

std::string Failure(const std::string& bytes) {
  return std::string(StatusName(ReadTar(bytes, "test").status()));
}

TEST(TarTest, ReadsFilesInOrder) {
  const std::string long_contents(1000, 'x');
  const std::string bytes = TestTarEntry("b.o", "two") + TestTarEntry("folder", "", '5') +
                            TestTarEntry("folder/a.o", long_contents) +
                            TestTarEntry("empty", "", '\0') + kTestTarEnd;
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
  const auto entries = ReadTar(kTestTarEnd, "test");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_TRUE(entries->empty());
}

TEST(TarTest, EveryTruncationIsAnError) {
  const std::string whole = TestTarEntry("a.o", "one") + TestTarEntry("b.o", "two") + kTestTarEnd;
  for (size_t size = 0; size < whole.size() - kTarBlock; ++size) {
    EXPECT_EQ(Failure(whole.substr(0, size)), "artifact-corrupt") << size;
  }
}

TEST(TarTest, DamageIsAnError) {
  const std::string whole = TestTarEntry("a.o", "one") + kTestTarEnd;
  for (const size_t at : {0u, 100u, 130u, 148u, 156u, 257u, 300u}) {
    std::string damaged = whole;
    damaged[at] ^= 0x11;
    EXPECT_EQ(Failure(damaged), "artifact-corrupt") << at;
  }
}

TEST(TarTest, NamesStayInsideTheFolder) {
  for (const std::string name :
       {"/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a/", "", "a\\b", "a\nb"}) {
    EXPECT_FALSE(IsPlainEntryName(name)) << name;
    EXPECT_EQ(Failure(TestTarEntry(name, "x") + kTestTarEnd), "artifact-corrupt") << name;
  }
  EXPECT_TRUE(IsPlainEntryName("a"));
  EXPECT_TRUE(IsPlainEntryName("a..b/.c"));
}

TEST(TarTest, TwoFilesOfOneNameAreAnError) {
  EXPECT_EQ(Failure(TestTarEntry("a.o", "one") + TestTarEntry("a.o", "two") + kTestTarEnd),
            "artifact-corrupt");
}

TEST(TarTest, LinksAndExtensionsAreRefused) {
  for (const char type : {'1', '2', '3', 'L', 'x'}) {
    EXPECT_EQ(Failure(TestTarEntry("a.o", "", type) + kTestTarEnd), "artifact-unsupported") << type;
  }
}

}  // namespace
}  // namespace lathe::runtime
