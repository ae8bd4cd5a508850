// Relocations of x86-64: System V ABI, AMD64 supplement 1.0, table 4.9.
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using V = RelocationValue;

constexpr RelocationKind kRelocations[] = {
    {0, "R_X86_64_NONE", V::kNone, F::kNone},
    {1, "R_X86_64_64", V::kAbsolute, F::kWord64},
    {2, "R_X86_64_PC32", V::kRelative, F::kWord32Signed},
    {3, "R_X86_64_GOT32", V::kGotOffset, F::kWord32Signed},
    {4, "R_X86_64_PLT32", V::kBranch, F::kWord32Signed},
    {9, "R_X86_64_GOTPCREL", V::kGotRelative, F::kWord32Signed},
    {10, "R_X86_64_32", V::kAbsolute, F::kWord32Unsigned},
    {11, "R_X86_64_32S", V::kAbsolute, F::kWord32Signed},
    {12, "R_X86_64_16", V::kAbsolute, F::kWord16},
    {13, "R_X86_64_PC16", V::kRelative, F::kWord16},
    {14, "R_X86_64_8", V::kAbsolute, F::kWord8},
    {15, "R_X86_64_PC8", V::kRelative, F::kWord8},
    {24, "R_X86_64_PC64", V::kRelative, F::kWord64},
    {25, "R_X86_64_GOTOFF64", V::kFromGotBase, F::kWord64},
    {26, "R_X86_64_GOTPC32", V::kGotBase, F::kWord32Signed},
    {27, "R_X86_64_GOT64", V::kGotOffset, F::kWord64},
    {28, "R_X86_64_GOTPCREL64", V::kGotRelative, F::kWord64},
    {29, "R_X86_64_GOTPC64", V::kGotBase, F::kWord64},
    {32, "R_X86_64_SIZE32", V::kSize, F::kWord32Unsigned},
    {33, "R_X86_64_SIZE64", V::kSize, F::kWord64},
    // The marked loads and calls could be optimised; they are correct unchanged.
    {41, "R_X86_64_GOTPCRELX", V::kGotRelative, F::kWord32Signed},
    {42, "R_X86_64_REX_GOTPCRELX", V::kGotRelative, F::kWord32Signed},
};

// jmp *entry(%rip), then two breakpoints.
bool WriteStub(uint8_t* to, uint64_t address, uint64_t got_entry) {
  const auto distance = static_cast<int64_t>(got_entry - (address + 6));
  if (distance != static_cast<int32_t>(distance)) return false;
  WriteLittle<uint16_t>(to, 0x25ff);
  WriteLittle<int32_t>(to + 2, static_cast<int32_t>(distance));
  WriteLittle<uint16_t>(to + 6, 0xcccc);
  return true;
}

}  // namespace

const Machine kX8664 = {
    .number = elf::kMachineX8664,
    .name = "x86_64",
    .is_64 = true,
    .relocations = kRelocations,
    .max_page_bytes = 16384,  // Android's; desktop kernels use 4096
    .branch_reach = 0x7fffffff,
    .stub_bytes = 8,
    .stub_alignment = 8,
    .write_stub = WriteStub,
    .dynamic_relative = 8,
    .dynamic_symbol = 1,
};

}  // namespace lathe::runtime
