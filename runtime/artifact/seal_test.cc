#include "runtime/artifact/seal.h"

#include <algorithm>

#include "base/digest.h"
#include "gtest/gtest.h"
#include "lathe/abi/kernel.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

struct Sealed {
  std::string file, constant;
  size_t contents, constant_at;
};

// 100 bytes of code, a constant of 5000 bytes, then 60 bytes.
Sealed File(bool is_constant = true) {
  Sealed out;
  for (int i = 0; i < 5000; ++i) out.constant += static_cast<char>(i * 7);
  Pieces pieces(std::string(100, 'c'));
  pieces.Borrow(out.constant);
  pieces.Append(std::string(60, 'd'));
  const std::vector<ArtifactConstant> constants = {
      {LATHE_CONSTANT_PREFIX + DigestOf(out.constant).ToString(), out.constant, nullptr}};
  out.contents = pieces.size();
  out.constant_at = 100;
  const std::string seal = SealOf(
      pieces, is_constant ? absl::MakeConstSpan(constants) : absl::Span<const ArtifactConstant>());
  out.file = pieces.Join() + seal;
  return out;
}

TEST(SealTest, WhatWasWrittenIsFine) {
  for (bool is_constant : {true, false}) {
    const Sealed sealed = File(is_constant);
    EXPECT_TRUE(IsSealed(sealed.file));
    EXPECT_EQ(WithoutSeal(sealed.file), sealed.file.substr(0, sealed.contents));
    EXPECT_TRUE(CheckSeal(sealed.file, "a", SealCheck::kEverything).ok());
  }
}

TEST(SealTest, FilesOfOthersAreFine) {
  const Sealed sealed = File();
  for (size_t size : {size_t{0}, size_t{5}, size_t{40}, sealed.contents}) {
    const std::string file = sealed.file.substr(0, size);
    EXPECT_FALSE(IsSealed(file));
    EXPECT_EQ(WithoutSeal(file), file);
    EXPECT_TRUE(CheckSeal(file, "a", SealCheck::kEverything).ok());
  }
}

// Every bit of the file except the magic's: without the magic there is no seal.
TEST(SealTest, EveryBitCounts) {
  Sealed sealed = File();
  const size_t end = sealed.file.size() - 16;
  for (size_t at = 0; at < end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      sealed.file[at] ^= static_cast<char>(1 << bit);
      const bool constant =
          at >= sealed.constant_at && at < sealed.constant_at + sealed.constant.size();
      EXPECT_EQ(CheckSeal(sealed.file, "a", SealCheck::kCode).ok(), constant) << at;
      const absl::Status all = CheckSeal(sealed.file, "model.so", SealCheck::kEverything);
      EXPECT_EQ(StatusName(all), "artifact-damaged") << at;
      EXPECT_NE(all.message().find("`model.so`"), std::string_view::npos);
      sealed.file[at] ^= static_cast<char>(1 << bit);
    }
  }
}

TEST(SealTest, BytesThatWereMovedCount) {
  Sealed sealed = File();
  std::swap(sealed.file[10], sealed.file[sealed.contents - 10]);
  EXPECT_FALSE(CheckSeal(sealed.file, "a", SealCheck::kCode).ok());
}

TEST(SealTest, AListThatCannotBeIsDamage) {
  // More constants than fit, and a constant that ends beyond the file.
  const Sealed sealed = File();
  const size_t count_at = sealed.file.size() - 40, offset_at = sealed.contents;
  for (const auto& [at, value] :
       {std::pair{count_at, 200}, {count_at + 7, 0xff}, {offset_at + 7, 0x7f}}) {
    std::string file = sealed.file;
    file[at] = static_cast<char>(value);
    EXPECT_EQ(StatusName(CheckSeal(file, "a", SealCheck::kCode)), "artifact-damaged");
    WithoutSeal(file);
  }
}

}  // namespace
}  // namespace lathe::runtime
