// The numbers of the ELF object format that the artefact reader and the writer of shared objects
// use.
//
// From the System V ABI (generic part, chapters 4 and 5) and the processor supplements.
// Little-endian only, like every machine that Lathe compiles for.
#pragma once

#include <cstdint>

namespace lathe::runtime::elf {

inline constexpr char kMagic[] = "\177ELF";
inline constexpr uint8_t kClass32 = 1, kClass64 = 2;
inline constexpr uint8_t kLittleEndian = 1;
inline constexpr uint8_t kVersion = 1;

// e_type
inline constexpr uint16_t kTypeRelocatable = 1, kTypeExecutable = 2, kTypeShared = 3;

// e_machine
inline constexpr uint16_t kMachine386 = 3, kMachineArm = 40, kMachineX8664 = 62,
                          kMachineAArch64 = 183, kMachineRiscv = 243;

// e_flags
inline constexpr uint32_t kRiscvCompressed = 0x1, kRiscvFloatAbi = 0x6, kRiscvFloatAbiDouble = 0x4,
                          kRiscvEmbedded = 0x8;
inline constexpr uint32_t kArmEabiMask = 0xff000000, kArmEabi5 = 0x05000000, kArmHardFloat = 0x400,
                          kArmSoftFloat = 0x200;

// sh_type
inline constexpr uint32_t kSectionNull = 0, kSectionProgbits = 1, kSectionSymtab = 2,
                          kSectionStrtab = 3, kSectionRela = 4, kSectionHash = 5,
                          kSectionDynamic = 6, kSectionNote = 7, kSectionNobits = 8,
                          kSectionRel = 9, kSectionDynsym = 11, kSectionInitArray = 14,
                          kSectionFiniArray = 15, kSectionPreinitArray = 16, kSectionGroup = 17,
                          kSectionSymtabShndx = 18, kSectionProcessorFirst = 0x70000000,
                          kSectionProcessorLast = 0x7fffffff;
// SHT_X86_64_UNWIND and SHT_ARM_EXIDX share a number.
inline constexpr uint32_t kSectionUnwind = 0x70000001;

// sh_flags
inline constexpr uint64_t kFlagWrite = 0x1, kFlagAlloc = 0x2, kFlagExec = 0x4, kFlagMerge = 0x10,
                          kFlagStrings = 0x20, kFlagInfoLink = 0x40, kFlagLinkOrder = 0x80,
                          kFlagGroup = 0x200, kFlagTls = 0x400, kFlagCompressed = 0x800,
                          kFlagExclude = 0x80000000;

// Special section indices
inline constexpr uint32_t kIndexUndefined = 0, kIndexReserved = 0xff00, kIndexAbsolute = 0xfff1,
                          kIndexCommon = 0xfff2, kIndexExtended = 0xffff;

// Symbols: binding, type, visibility
inline constexpr uint8_t kBindLocal = 0, kBindGlobal = 1, kBindWeak = 2, kBindUnique = 10;
inline constexpr uint8_t kSymbolNone = 0, kSymbolObject = 1, kSymbolFunction = 2,
                         kSymbolSection = 3, kSymbolFile = 4, kSymbolCommon = 5, kSymbolTls = 6,
                         kSymbolIndirect = 10;
inline constexpr uint8_t kVisibilityDefault = 0, kVisibilityInternal = 1, kVisibilityHidden = 2,
                         kVisibilityProtected = 3;

inline constexpr uint32_t kGroupComdat = 1;

// p_type and p_flags
inline constexpr uint32_t kSegmentLoad = 1, kSegmentDynamic = 2, kSegmentStack = 0x6474e551,
                          kSegmentRelro = 0x6474e552;
inline constexpr uint32_t kProtectExec = 1, kProtectWrite = 2, kProtectRead = 4;

// d_tag
inline constexpr uint64_t kDynamicNull = 0, kDynamicNeeded = 1, kDynamicHash = 4,
                          kDynamicStrtab = 5, kDynamicSymtab = 6, kDynamicRela = 7,
                          kDynamicRelaSize = 8, kDynamicRelaEntry = 9, kDynamicStrtabSize = 10,
                          kDynamicSymtabEntry = 11, kDynamicSoname = 14, kDynamicRel = 17,
                          kDynamicRelSize = 18, kDynamicRelEntry = 19, kDynamicFlags = 30,
                          kDynamicFlags1 = 0x6ffffffb, kDynamicRelaCount = 0x6ffffff9,
                          kDynamicRelCount = 0x6ffffffa;
inline constexpr uint64_t kDynamicBindNow = 0x8, kDynamic1Now = 0x1;

}  // namespace lathe::runtime::elf
