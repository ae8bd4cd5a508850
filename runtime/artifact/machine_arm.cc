// Relocations of 32-bit Arm: ELF for the Arm Architecture (2023Q3), section 5.6.
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using V = RelocationValue;

constexpr RelocationKind kRelocations[] = {
    {0, "R_ARM_NONE", V::kNone, F::kNone},
    {2, "R_ARM_ABS32", V::kAbsolute, F::kWord32},
    {3, "R_ARM_REL32", V::kRelative, F::kWord32},
    {5, "R_ARM_ABS16", V::kAbsolute, F::kWord16},
    {8, "R_ARM_ABS8", V::kAbsolute, F::kWord8},
    {10, "R_ARM_THM_CALL", V::kBranch, F::kThumbCall},
    {24, "R_ARM_GOTOFF32", V::kFromGotBase, F::kWord32},
    {25, "R_ARM_BASE_PREL", V::kGotBase, F::kWord32},
    {26, "R_ARM_GOT_BREL", V::kGotOffset, F::kWord32},
    {28, "R_ARM_CALL", V::kBranch, F::kArmCall},
    {29, "R_ARM_JUMP24", V::kBranch, F::kArmJump24},
    {30, "R_ARM_THM_JUMP24", V::kBranch, F::kThumbJump24},
    {38, "R_ARM_TARGET1", V::kAbsolute, F::kWord32},
    {40, "R_ARM_V4BX", V::kNone, F::kNone},
    {42, "R_ARM_PREL31", V::kRelative, F::kArmPrel31},
    {43, "R_ARM_MOVW_ABS_NC", V::kAbsolute, F::kArmMovw},
    {44, "R_ARM_MOVT_ABS", V::kAbsolute, F::kArmMovt},
    {45, "R_ARM_MOVW_PREL_NC", V::kRelative, F::kArmMovw},
    {46, "R_ARM_MOVT_PREL", V::kRelative, F::kArmMovt},
    {47, "R_ARM_THM_MOVW_ABS_NC", V::kAbsolute, F::kThumbMovw},
    {48, "R_ARM_THM_MOVT_ABS", V::kAbsolute, F::kThumbMovt},
    {49, "R_ARM_THM_MOVW_PREL_NC", V::kRelative, F::kThumbMovw},
    {50, "R_ARM_THM_MOVT_PREL", V::kRelative, F::kThumbMovt},
    {51, "R_ARM_THM_JUMP19", V::kBranch, F::kThumbJump19},
    {96, "R_ARM_GOT_PREL", V::kGotRelative, F::kWord32},
    {102, "R_ARM_THM_JUMP11", V::kRelative, F::kThumbJump11},
    {103, "R_ARM_THM_JUMP8", V::kRelative, F::kThumbJump8},
};

// bx pc; nop (Thumb), then in Arm state: ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; .word
// entry - (here + 16).
bool WriteStub(uint8_t* to, uint64_t address, uint64_t got_entry) {
  WriteLittle<uint16_t>(to, 0x4778);
  WriteLittle<uint16_t>(to + 2, 0x46c0);
  WriteLittle<uint32_t>(to + 4, 0xe59fc004);
  WriteLittle<uint32_t>(to + 8, 0xe08cc00f);
  WriteLittle<uint32_t>(to + 12, 0xe59cf000);
  // Reading pc gives the instruction's address + 8.
  WriteLittle<uint32_t>(to + 16, static_cast<uint32_t>(got_entry - (address + 16)));
  return true;
}

}  // namespace

const Machine kArm = {
    .number = elf::kMachineArm,
    .name = "arm",
    .is_64 = false,
    .relocations = kRelocations,
    .max_page_bytes = 65536,
    .branch_reach = 0xfffff0,  // Thumb's 16 MiB; Arm's is twice that
    .stub_bytes = 20,
    .stub_alignment = 4,
    .write_stub = WriteStub,
    .dynamic_relative = 23,
    .dynamic_symbol = 2,
};

}  // namespace lathe::runtime
