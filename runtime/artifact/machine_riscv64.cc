// Relocations of RISC-V: RISC-V ABIs Specification 1.0, table 3.
//
// Code keeps the compiler's layout: relaxation, which makes it shorter, is optional, and the
// padding at R_RISCV_ALIGN stays (at worst a loop's start is not aligned, which costs only speed).
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using V = RelocationValue;

constexpr RelocationKind kRelocations[] = {
    {0, "R_RISCV_NONE", V::kNone, F::kNone},
    {1, "R_RISCV_32", V::kAbsolute, F::kWord32},
    {2, "R_RISCV_64", V::kAbsolute, F::kWord64},
    {16, "R_RISCV_BRANCH", V::kRelative, F::kRvBranch},
    {17, "R_RISCV_JAL", V::kBranch, F::kRvJump},
    {18, "R_RISCV_CALL", V::kBranch, F::kRvCall},
    {19, "R_RISCV_CALL_PLT", V::kBranch, F::kRvCall},
    {20, "R_RISCV_GOT_HI20", V::kGotRelative, F::kRvHigh20},
    {23, "R_RISCV_PCREL_HI20", V::kRelative, F::kRvHigh20},
    {24, "R_RISCV_PCREL_LO12_I", V::kPairedLow, F::kRvLow12I},
    {25, "R_RISCV_PCREL_LO12_S", V::kPairedLow, F::kRvLow12S},
    {26, "R_RISCV_HI20", V::kAbsolute, F::kRvHigh20},
    {27, "R_RISCV_LO12_I", V::kAbsolute, F::kRvLow12I},
    {28, "R_RISCV_LO12_S", V::kAbsolute, F::kRvLow12S},
    {33, "R_RISCV_ADD8", V::kDifference, F::kAdd8},
    {34, "R_RISCV_ADD16", V::kDifference, F::kAdd16},
    {35, "R_RISCV_ADD32", V::kDifference, F::kAdd32},
    {36, "R_RISCV_ADD64", V::kDifference, F::kAdd64},
    {37, "R_RISCV_SUB8", V::kDifference, F::kSub8},
    {38, "R_RISCV_SUB16", V::kDifference, F::kSub16},
    {39, "R_RISCV_SUB32", V::kDifference, F::kSub32},
    {40, "R_RISCV_SUB64", V::kDifference, F::kSub64},
    {41, "R_RISCV_GOT32_PCREL", V::kGotRelative, F::kWord32Signed},
    {43, "R_RISCV_ALIGN", V::kNone, F::kNone},
    {44, "R_RISCV_RVC_BRANCH", V::kRelative, F::kRvcBranch},
    {45, "R_RISCV_RVC_JUMP", V::kRelative, F::kRvcJump},
    {51, "R_RISCV_RELAX", V::kNone, F::kNone},
    {52, "R_RISCV_SUB6", V::kDifference, F::kSub6},
    {53, "R_RISCV_SET6", V::kDifference, F::kSet6},
    {54, "R_RISCV_SET8", V::kDifference, F::kSet8},
    {55, "R_RISCV_SET16", V::kDifference, F::kSet16},
    {56, "R_RISCV_SET32", V::kDifference, F::kSet32},
    {57, "R_RISCV_32_PCREL", V::kRelative, F::kWord32Signed},
    {59, "R_RISCV_PLT32", V::kBranch, F::kWord32Signed},
};

// auipc t3, high; ld t3, low(t3); jr t3; nop.
bool WriteStub(uint8_t* to, uint64_t address, uint64_t got_entry) {
  const auto distance = static_cast<int64_t>(got_entry - address);
  WriteLittle<uint32_t>(to, 0x00000e17);
  WriteLittle<uint32_t>(to + 4, 0x000e3e03);
  WriteLittle<uint32_t>(to + 8, 0x000e0067);
  WriteLittle<uint32_t>(to + 12, 0x00000013);
  return PatchField(F::kRvHigh20, distance, to) == PatchResult::kOk &&
         PatchField(F::kRvLow12I, distance, to + 4) == PatchResult::kOk;
}

}  // namespace

const Machine kRiscv64 = {
    .number = elf::kMachineRiscv,
    .name = "riscv64",
    .is_64 = true,
    .relocations = kRelocations,
    .max_page_bytes = 4096,
    .branch_reach = 0x7ffff000,  // of a call pair; a lone jal reaches 1 MiB
    .stub_bytes = 16,
    .stub_alignment = 4,
    .write_stub = WriteStub,
    .dynamic_relative = 3,
    .dynamic_symbol = 2,
};

}  // namespace lathe::runtime
