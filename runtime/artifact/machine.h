// The facts about a processor architecture that linking needs: its relocations, and the stubs for
// calls beyond the reach of a branch. Used by the loader of objects and by the writer of shared
// objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"

namespace lathe::runtime {

// The value that a relocation writes. S: the symbol's address, A: the addend, P: the address of the
// place that is written, GOT: the address of the symbol's entry in the global offset table, BASE:
// the table's own address.
enum class RelocationValue : uint8_t {
  kNone,           // nothing to do: hints for linkers that shrink code
  kAbsolute,       // S + A
  kRelative,       // S + A - P
  kBranch,         // S + A - P, where S may be a stub that jumps to the symbol
  kPage,           // Page(S + A) - Page(P), pages of 4 KiB
  kPageOffset,     // S + A, of which only the low 12 bits are used
  kGotRelative,    // GOT + A - P
  kGotPage,        // Page(GOT + A) - Page(P)
  kGotPageOffset,  // GOT + A, of which only the low 12 bits are used
  kGotOffset,      // GOT + A - BASE
  kFromGotBase,    // S + A - BASE
  kGotBase,        // BASE + A - P
  kSize,           // the symbol's size + A
  kPairedLow,      // the low 12 bits of the value of the relocation at S (RISC-V)
  kDifference,     // S + A, added to, subtracted from or stored over the old value (RISC-V)
};

// How a value is written. Its range is checked, unless the name of the field says that only the low
// bits are used.
enum class RelocationField : uint8_t {
  kNone,
  kWord8,
  kWord16,
  kWord32,
  kWord32Signed,
  kWord32Unsigned,
  kWord64,
  kA64Adr21,
  kA64AdrPage,
  kA64Add12,
  kA64Load8,
  kA64Load16,
  kA64Load32,
  kA64Load64,
  kA64Load128,
  kA64Branch26,
  kA64Branch19,
  kA64Branch14,
  kA64Literal19,
  kRvBranch,
  kRvJump,
  kRvHigh20,
  kRvLow12I,
  kRvLow12S,
  kRvCall,
  kRvcBranch,
  kRvcJump,
  kAdd8,
  kAdd16,
  kAdd32,
  kAdd64,
  kSub6,
  kSub8,
  kSub16,
  kSub32,
  kSub64,
  kSet6,
  kSet8,
  kSet16,
  kSet32,
  kArmCall,
  kArmJump24,
  kArmMovw,
  kArmMovt,
  kArmPrel31,
  kThumbCall,
  kThumbJump24,
  kThumbJump19,
  kThumbJump11,
  kThumbJump8,
  kThumbMovw,
  kThumbMovt,
};

struct RelocationKind {
  uint32_t number = 0;
  const char* name = "";
  RelocationValue value = RelocationValue::kNone;
  RelocationField field = RelocationField::kNone;
};

// The number of bytes of a field.
size_t FieldBytes(RelocationField field);

// The addend that is stored in the place itself (ELF's REL relocations). `place` has
// FieldBytes(field) bytes.
int64_t ReadImplicitAddend(RelocationField field, const uint8_t* place);

// The reason why a value could not be written.
enum class PatchResult : uint8_t { kOk, kOutOfRange, kMisaligned, kWrongInstruction };

// Writes `value` into `place`, which has FieldBytes(field) bytes. For Arm branches, bit 0 of
// `value` means that the target is Thumb code.
PatchResult PatchField(RelocationField field, int64_t value, uint8_t* place);

struct Machine {
  uint16_t number;   // e_machine
  const char* name;  // as in a target triple
  bool is_64;
  absl::Span<const RelocationKind> relocations;
  uint32_t max_page_bytes;  // the largest page any kernel for it is built with; segments are
                            // aligned to it
  uint64_t branch_reach;    // bytes a direct branch reaches either way
  size_t stub_bytes;
  size_t stub_alignment;
  // Writes a stub at `address` that jumps to the address stored in the word at `got_entry`. False:
  // they are too far apart.
  bool (*write_stub)(uint8_t* to, uint64_t address, uint64_t got_entry);
  // Numbers of the relocations that a dynamic linker applies: base + addend; a symbol's address (+
  // addend).
  uint32_t dynamic_relative, dynamic_symbol;

  size_t word_bytes() const { return is_64 ? 8 : 4; }
  const RelocationKind* Find(uint32_t relocation) const;
};

// Null if the machine is unknown.
const Machine* FindMachine(uint16_t number, bool is_64);
// The machine that this code runs on; null if the loader does not support it.
const Machine* HostMachine();
// "aarch64, arm, riscv64 or x86_64".
std::string KnownMachines();

// Arm: a stub has two entries; code in Thumb state enters at the stub's address, code in Arm state
// 4 bytes later.
inline constexpr uint64_t kArmStubEntry = 4;

// One per architecture, each in its own file.
extern const Machine kX8664;
extern const Machine kAArch64;
extern const Machine kRiscv64;
extern const Machine kArm;

}  // namespace lathe::runtime
