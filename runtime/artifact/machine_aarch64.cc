// Relocations of AArch64: ELF for the Arm 64-bit Architecture (2023Q3), section 5.7.
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using V = RelocationValue;

constexpr RelocationKind kRelocations[] = {
    {0, "R_AARCH64_NONE", V::kNone, F::kNone},
    {256, "R_AARCH64_NONE", V::kNone, F::kNone},
    {257, "R_AARCH64_ABS64", V::kAbsolute, F::kWord64},
    {258, "R_AARCH64_ABS32", V::kAbsolute, F::kWord32},
    {259, "R_AARCH64_ABS16", V::kAbsolute, F::kWord16},
    {260, "R_AARCH64_PREL64", V::kRelative, F::kWord64},
    {261, "R_AARCH64_PREL32", V::kRelative, F::kWord32},
    {262, "R_AARCH64_PREL16", V::kRelative, F::kWord16},
    {273, "R_AARCH64_LD_PREL_LO19", V::kRelative, F::kA64Literal19},
    {274, "R_AARCH64_ADR_PREL_LO21", V::kRelative, F::kA64Adr21},
    {275, "R_AARCH64_ADR_PREL_PG_HI21", V::kPage, F::kA64AdrPage},
    {277, "R_AARCH64_ADD_ABS_LO12_NC", V::kPageOffset, F::kA64Add12},
    {278, "R_AARCH64_LDST8_ABS_LO12_NC", V::kPageOffset, F::kA64Load8},
    {279, "R_AARCH64_TSTBR14", V::kBranch, F::kA64Branch14},
    {280, "R_AARCH64_CONDBR19", V::kBranch, F::kA64Branch19},
    {282, "R_AARCH64_JUMP26", V::kBranch, F::kA64Branch26},
    {283, "R_AARCH64_CALL26", V::kBranch, F::kA64Branch26},
    {284, "R_AARCH64_LDST16_ABS_LO12_NC", V::kPageOffset, F::kA64Load16},
    {285, "R_AARCH64_LDST32_ABS_LO12_NC", V::kPageOffset, F::kA64Load32},
    {286, "R_AARCH64_LDST64_ABS_LO12_NC", V::kPageOffset, F::kA64Load64},
    {299, "R_AARCH64_LDST128_ABS_LO12_NC", V::kPageOffset, F::kA64Load128},
    {309, "R_AARCH64_GOT_LD_PREL19", V::kGotRelative, F::kA64Literal19},
    {311, "R_AARCH64_ADR_GOT_PAGE", V::kGotPage, F::kA64AdrPage},
    {312, "R_AARCH64_LD64_GOT_LO12_NC", V::kGotPageOffset, F::kA64Load64},
    {314, "R_AARCH64_PLT32", V::kBranch, F::kWord32Signed},
};

// adrp x16, entry; ldr x16, [x16, entry & 0xfff]; br x16. The procedure call standard leaves x16 to
// linkers.
bool WriteStub(uint8_t* to, uint64_t address, uint64_t got_entry) {
  WriteLittle<uint32_t>(to, 0x90000010);
  WriteLittle<uint32_t>(to + 4, 0xf9400210);
  WriteLittle<uint32_t>(to + 8, 0xd61f0200);
  const auto pages = static_cast<int64_t>((got_entry & ~0xfffULL) - (address & ~0xfffULL));
  return PatchField(F::kA64AdrPage, pages, to) == PatchResult::kOk &&
         PatchField(F::kA64Load64, static_cast<int64_t>(got_entry), to + 4) == PatchResult::kOk;
}

}  // namespace

const Machine kAArch64 = {
    .number = elf::kMachineAArch64,
    .name = "aarch64",
    .is_64 = true,
    .relocations = kRelocations,
    .max_page_bytes = 65536,
    .branch_reach = 0x7fffffc,
    .stub_bytes = 12,
    .stub_alignment = 4,
    .write_stub = WriteStub,
    .dynamic_relative = 1027,
    .dynamic_symbol = 257,
};

}  // namespace lathe::runtime
