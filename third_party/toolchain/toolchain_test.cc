#include <concepts>
#include <stdexcept>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lathe {
namespace {

template <std::integral T>
constexpr T Twice(T x) {
  return x + x;
}

absl::StatusOr<int> Positive(int x) {
  if (x <= 0) return absl::InvalidArgumentError(absl::StrCat("not positive: ", x));
  return x;
}

TEST(ToolchainTest, SpeaksCxx20) {
  static_assert(__cplusplus >= 202002L);
  static_assert(Twice(21) == 42);
}

TEST(ToolchainTest, ThrowsAndCatchesAcrossFrames) {
  EXPECT_THROW(std::string().at(1), std::out_of_range);
}

TEST(ToolchainTest, LinksAbseil) {
  EXPECT_EQ(*Positive(3), 3);
  EXPECT_EQ(Positive(-1).status().message(), "not positive: -1");
}

TEST(ToolchainTest, RunsThreads) {
  int x = 0;
  std::thread([&] { x = 1; }).join();
  EXPECT_EQ(x, 1);
}

TEST(ToolchainTest, UsesThePinnedCompilerAndLibrary) {
  EXPECT_EQ(__clang_major__, 19);
  EXPECT_EQ(_GLIBCXX_RELEASE, 12);
}

}  // namespace
}  // namespace lathe
