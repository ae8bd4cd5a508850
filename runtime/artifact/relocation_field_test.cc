#include <cstring>

#include "gtest/gtest.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;

// Returns the four bytes of an instruction after `value` was written into them.
uint32_t Patched(F field, uint32_t instruction, int64_t value) {
  uint8_t place[8] = {};
  WriteLittle<uint32_t>(place, instruction);
  EXPECT_EQ(PatchField(field, value, place), PatchResult::kOk);
  return ReadLittle<uint32_t>(place);
}

PatchResult Result(F field, int64_t value, uint32_t instruction = 0) {
  uint8_t place[8] = {};
  WriteLittle<uint32_t>(place, instruction);
  return PatchField(field, value, place);
}

// Encodings as assemblers make them.
TEST(RelocationFieldTest, AArch64) {
  EXPECT_EQ(Patched(F::kA64Branch26, 0x94000000, 0x1000), 0x94000400u);  // bl +0x1000
  EXPECT_EQ(Patched(F::kA64Branch26, 0x94000000, -4), 0x97ffffffu);      // bl -4
  EXPECT_EQ(Patched(F::kA64AdrPage, 0x90000000, 0x3000), 0xf0000000u);   // adrp x0, +3 pages
  EXPECT_EQ(Patched(F::kA64Add12, 0x91000000, 0x12345), 0x910d1400u);    // add x0, x0, #0x345
  EXPECT_EQ(Patched(F::kA64Load64, 0xf9400000, 0x12348), 0xf941a400u);   // ldr x0, [x0, #0x348]
  EXPECT_EQ(Patched(F::kA64Branch19, 0x54000000, 8), 0x54000040u);       // b.eq +8
  EXPECT_EQ(Result(F::kA64Branch26, 0x8000000), PatchResult::kOutOfRange);
  EXPECT_EQ(Result(F::kA64Branch26, 2), PatchResult::kMisaligned);
  EXPECT_EQ(Result(F::kA64Load64, 4), PatchResult::kMisaligned);
  EXPECT_EQ(Result(F::kA64AdrPage, int64_t{1} << 32), PatchResult::kOutOfRange);
}

TEST(RelocationFieldTest, Riscv) {
  EXPECT_EQ(Patched(F::kRvBranch, 0x00000063, -4), 0xfe000ee3u);      // beq zero, zero, -4
  EXPECT_EQ(Patched(F::kRvJump, 0x0000006f, 0x1234), 0x2340106fu);    // j +0x1234
  EXPECT_EQ(Patched(F::kRvHigh20, 0x00000517, 0x1800), 0x00002517u);  // rounded up
  EXPECT_EQ(Patched(F::kRvLow12I, 0x00050513, 0x1800), 0x80050513u);  // addi a0, a0, -2048
  EXPECT_EQ(Patched(F::kRvLow12S, 0x00a52023, 0x7ff), 0x7ea52fa3u);   // sw a0, 2047(a0)
  EXPECT_EQ(Result(F::kRvBranch, 4096), PatchResult::kOutOfRange);
  EXPECT_EQ(Result(F::kRvJump, 1), PatchResult::kMisaligned);
  EXPECT_EQ(Result(F::kRvHigh20, int64_t{1} << 31), PatchResult::kOutOfRange);
  EXPECT_EQ(Patched(F::kAdd32, 10, 5), 15u);
  EXPECT_EQ(Patched(F::kSub32, 10, 5), 5u);
  EXPECT_EQ(Patched(F::kSub6, 0xc5, 1), 0xc4u);
  EXPECT_EQ(Patched(F::kSub64, 0, INT64_MIN), 0u);
}

TEST(RelocationFieldTest, Arm) {
  EXPECT_EQ(Patched(F::kArmCall, 0xeb000000, 0x100), 0xeb000040u);  // bl +0x108
  EXPECT_EQ(Patched(F::kArmCall, 0xeb000000, 0x103), 0xfb000040u);  // blx to Thumb code, halfway
  EXPECT_EQ(Patched(F::kArmMovw, 0xe3000000, 0x12345678), 0xe3050678u);
  EXPECT_EQ(Patched(F::kArmMovt, 0xe3400000, 0x12345678), 0xe3410234u);
  EXPECT_EQ(Result(F::kArmCall, 1, 0x0b000000),
            PatchResult::kWrongInstruction);  // bleq cannot change state
  EXPECT_EQ(Result(F::kArmJump24, 1, 0xea000000), PatchResult::kWrongInstruction);
  EXPECT_EQ(Result(F::kArmJump24, 1 << 25), PatchResult::kOutOfRange);
}

// The written value equals what another relocation would read from the unpatched place.
TEST(RelocationFieldTest, ImplicitAddendsAreReadBack) {
  for (const F field :
       {F::kArmCall, F::kArmJump24, F::kThumbCall, F::kThumbJump24, F::kThumbJump19}) {
    const bool thumb = field != F::kArmCall && field != F::kArmJump24;
    for (const int64_t value : {0, 4, -4, 0x1234, -0x1238, 0x7fff4, -0x80000}) {
      uint8_t place[8] = {};
      if (field == F::kArmCall) WriteLittle<uint32_t>(place, 0xeb000000);
      ASSERT_EQ(PatchField(field, value | thumb, place), PatchResult::kOk);
      EXPECT_EQ(ReadImplicitAddend(field, place), value) << static_cast<int>(field);
    }
  }
  for (const F field : {F::kArmMovw, F::kThumbMovw, F::kWord16}) {
    for (const int64_t value : {0, 1, -1, 0x1234, -0x8000}) {
      uint8_t place[8] = {};
      ASSERT_EQ(PatchField(field, value, place), PatchResult::kOk);
      EXPECT_EQ(ReadImplicitAddend(field, place), value) << static_cast<int>(field);
    }
  }
}

TEST(RelocationFieldTest, DataWords) {
  EXPECT_EQ(Patched(F::kWord32, 0, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(Patched(F::kWord32Signed, 0, -1), 0xffffffffu);
  EXPECT_EQ(Result(F::kWord32Signed, 0xffffffff), PatchResult::kOutOfRange);
  EXPECT_EQ(Result(F::kWord32Unsigned, -1), PatchResult::kOutOfRange);
  EXPECT_EQ(Result(F::kWord16, 0x10000), PatchResult::kOutOfRange);
  EXPECT_EQ(Result(F::kWord8, -129), PatchResult::kOutOfRange);
}

}  // namespace
}  // namespace lathe::runtime
