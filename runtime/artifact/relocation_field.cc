// Writing values into the fields of data and instructions.
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;

constexpr bool FitsSigned(int64_t value, int bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
}
// Fits as a signed or an unsigned number; data words accept both.
constexpr bool FitsEither(int64_t value, int bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << bits;
}
constexpr int64_t SignExtend(uint64_t value, int bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}
// Bits [low, low + count) of `value`, moved to bit `to`.
constexpr uint32_t Bits(int64_t value, int low, int count, int to) {
  return static_cast<uint32_t>((static_cast<uint64_t>(value) >> low) & ((uint64_t{1} << count) - 1))
         << to;
}

uint32_t Read32(const uint8_t* place) { return ReadLittle<uint32_t>(place); }

void Insert32(uint8_t* place, uint32_t mask, uint32_t bits) {
  WriteLittle<uint32_t>(place, (Read32(place) & ~mask) | (bits & mask));
}
void Insert16(uint8_t* place, uint16_t mask, uint32_t bits) {
  WriteLittle<uint16_t>(
      place, static_cast<uint16_t>((ReadLittle<uint16_t>(place) & ~mask) | (bits & mask)));
}

// Writes a branch offset in units of 2^shift bytes into `bits` bits of the instruction, from bit
// `to` on.
PatchResult PatchScaled(uint8_t* place, int64_t value, int shift, int bits, int to) {
  if ((value & ((int64_t{1} << shift) - 1)) != 0) return PatchResult::kMisaligned;
  if (!FitsSigned(value, bits + shift)) return PatchResult::kOutOfRange;
  Insert32(place, ((1u << bits) - 1) << to, Bits(value, shift, bits, to));
  return PatchResult::kOk;
}

// Writes the low 12 bits as a load's offset, in units of 2^shift bytes.
PatchResult PatchLoad(uint8_t* place, int64_t value, int shift) {
  if ((value & ((int64_t{1} << shift) - 1)) != 0) return PatchResult::kMisaligned;
  Insert32(place, 0x3ffc00, Bits(value & 0xfff, shift, 12, 10));
  return PatchResult::kOk;
}

template <class T>
PatchResult Store(uint8_t* place, int64_t value) {
  WriteLittle<T>(place, static_cast<T>(value));
  return PatchResult::kOk;
}
template <class T>
PatchResult Add(uint8_t* place, int64_t value) {
  return Store<T>(place, static_cast<int64_t>(ReadLittle<T>(place) + static_cast<uint64_t>(value)));
}

// Negation; the least number wraps to itself.
int64_t Negated(int64_t value) { return static_cast<int64_t>(-static_cast<uint64_t>(value)); }

PatchResult PatchRiscv(F field, int64_t value, uint8_t* place) {
  switch (field) {
    case F::kRvBranch:
      if ((value & 1) != 0) return PatchResult::kMisaligned;
      if (!FitsSigned(value, 13)) return PatchResult::kOutOfRange;
      Insert32(place, 0xfe000f80,
               Bits(value, 12, 1, 31) | Bits(value, 5, 6, 25) | Bits(value, 1, 4, 8) |
                   Bits(value, 11, 1, 7));
      return PatchResult::kOk;
    case F::kRvJump:
      if ((value & 1) != 0) return PatchResult::kMisaligned;
      if (!FitsSigned(value, 21)) return PatchResult::kOutOfRange;
      Insert32(place, 0xfffff000,
               Bits(value, 20, 1, 31) | Bits(value, 1, 10, 21) | Bits(value, 11, 1, 20) |
                   Bits(value, 12, 8, 12));
      return PatchResult::kOk;
    case F::kRvHigh20:
      // The low part is sign-extended, so the high part must be rounded.
      if (!FitsSigned(value, 33) || !FitsSigned(value + 0x800, 32)) return PatchResult::kOutOfRange;
      Insert32(place, 0xfffff000, Bits(value + 0x800, 12, 20, 12));
      return PatchResult::kOk;
    case F::kRvLow12I:
      Insert32(place, 0xfff00000, Bits(value, 0, 12, 20));
      return PatchResult::kOk;
    case F::kRvLow12S:
      Insert32(place, 0xfe000f80, Bits(value, 5, 7, 25) | Bits(value, 0, 5, 7));
      return PatchResult::kOk;
    case F::kRvCall: {
      const PatchResult high = PatchRiscv(F::kRvHigh20, value, place);
      return high == PatchResult::kOk ? PatchRiscv(F::kRvLow12I, value, place + 4) : high;
    }
    case F::kRvcBranch:
      if ((value & 1) != 0) return PatchResult::kMisaligned;
      if (!FitsSigned(value, 9)) return PatchResult::kOutOfRange;
      Insert16(place, 0x1c7c,
               Bits(value, 8, 1, 12) | Bits(value, 3, 2, 10) | Bits(value, 6, 2, 5) |
                   Bits(value, 1, 2, 3) | Bits(value, 5, 1, 2));
      return PatchResult::kOk;
    case F::kRvcJump:
      if ((value & 1) != 0) return PatchResult::kMisaligned;
      if (!FitsSigned(value, 12)) return PatchResult::kOutOfRange;
      Insert16(place, 0x1ffc,
               Bits(value, 11, 1, 12) | Bits(value, 4, 1, 11) | Bits(value, 8, 2, 9) |
                   Bits(value, 10, 1, 8) | Bits(value, 6, 1, 7) | Bits(value, 7, 1, 6) |
                   Bits(value, 1, 3, 3) | Bits(value, 5, 1, 2));
      return PatchResult::kOk;
    default:
      return PatchResult::kWrongInstruction;
  }
}

PatchResult PatchArm(F field, int64_t value, uint8_t* place) {
  const bool to_thumb = (value & 1) != 0;
  const int64_t offset = value & ~int64_t{1};
  switch (field) {
    case F::kArmCall: {
      if (!FitsSigned(offset, 26)) return PatchResult::kOutOfRange;
      const uint32_t old = Read32(place);
      const bool is_blx = (old >> 25) == 0x7d;
      if (to_thumb) {
        // blx has no condition.
        if (!is_blx && (old >> 28) != 0xe) return PatchResult::kWrongInstruction;
        WriteLittle<uint32_t>(place, 0xfa000000 | Bits(offset, 1, 1, 24) | Bits(offset, 2, 24, 0));
      } else {
        if ((offset & 3) != 0) return PatchResult::kMisaligned;
        WriteLittle<uint32_t>(place,
                              (is_blx ? 0xeb000000 : old & 0xff000000) | Bits(offset, 2, 24, 0));
      }
      return PatchResult::kOk;
    }
    case F::kArmJump24:
      if (to_thumb) return PatchResult::kWrongInstruction;
      return PatchScaled(place, offset, 2, 24, 0);
    case F::kArmMovw:
    case F::kArmMovt: {
      const int64_t half = field == F::kArmMovt ? value >> 16 : value;
      Insert32(place, 0x000f0fff, Bits(half, 12, 4, 16) | Bits(half, 0, 12, 0));
      return PatchResult::kOk;
    }
    case F::kArmPrel31:
      if (!FitsSigned(value, 31)) return PatchResult::kOutOfRange;
      Insert32(place, 0x7fffffff, static_cast<uint32_t>(value));
      return PatchResult::kOk;
    default:
      return PatchResult::kWrongInstruction;
  }
}

PatchResult PatchThumb(F field, int64_t value, uint8_t* place) {
  const bool to_thumb = (value & 1) != 0;
  int64_t offset = value & ~int64_t{1};
  switch (field) {
    case F::kThumbCall:
    case F::kThumbJump24: {
      if (field == F::kThumbJump24 && !to_thumb) return PatchResult::kWrongInstruction;
      // blx counts from the instruction's address rounded down to 4.
      if (!to_thumb) offset = (offset + 2) & ~int64_t{3};
      if (!FitsSigned(offset, 25)) return PatchResult::kOutOfRange;
      const uint32_t sign = Bits(offset, 24, 1, 0);
      const uint32_t j1 = (Bits(offset, 23, 1, 0) ^ sign ^ 1) << 13,
                     j2 = (Bits(offset, 22, 1, 0) ^ sign ^ 1) << 11;
      Insert16(place, 0x07ff, sign << 10 | Bits(offset, 12, 10, 0));
      uint32_t low = j1 | j2 | Bits(offset, 1, 11, 0);
      if (field == F::kThumbCall) low |= to_thumb ? 0x1000 : 0;
      Insert16(place + 2, field == F::kThumbCall ? 0x3fff : 0x2fff, low);
      return PatchResult::kOk;
    }
    case F::kThumbJump19:
      if (!to_thumb) return PatchResult::kWrongInstruction;
      if (!FitsSigned(offset, 21)) return PatchResult::kOutOfRange;
      Insert16(place, 0x043f, Bits(offset, 20, 1, 10) | Bits(offset, 12, 6, 0));
      Insert16(place + 2, 0x2fff,
               Bits(offset, 18, 1, 13) | Bits(offset, 19, 1, 11) | Bits(offset, 1, 11, 0));
      return PatchResult::kOk;
    case F::kThumbJump11:
      if (!FitsSigned(offset, 12)) return PatchResult::kOutOfRange;
      Insert16(place, 0x07ff, Bits(offset, 1, 11, 0));
      return PatchResult::kOk;
    case F::kThumbJump8:
      if (!FitsSigned(offset, 9)) return PatchResult::kOutOfRange;
      Insert16(place, 0x00ff, Bits(offset, 1, 8, 0));
      return PatchResult::kOk;
    case F::kThumbMovw:
    case F::kThumbMovt: {
      const int64_t half = field == F::kThumbMovt ? value >> 16 : value;
      Insert16(place, 0x040f, Bits(half, 11, 1, 10) | Bits(half, 12, 4, 0));
      Insert16(place + 2, 0x70ff, Bits(half, 8, 3, 12) | Bits(half, 0, 8, 0));
      return PatchResult::kOk;
    }
    default:
      return PatchResult::kWrongInstruction;
  }
}

}  // namespace

size_t FieldBytes(RelocationField field) {
  switch (field) {
    case F::kNone:
      return 0;
    case F::kWord8:
    case F::kAdd8:
    case F::kSub6:
    case F::kSub8:
    case F::kSet6:
    case F::kSet8:
      return 1;
    case F::kWord16:
    case F::kAdd16:
    case F::kSub16:
    case F::kSet16:
    case F::kRvcBranch:
    case F::kRvcJump:
    case F::kThumbJump11:
    case F::kThumbJump8:
      return 2;
    case F::kWord64:
    case F::kAdd64:
    case F::kSub64:
    case F::kRvCall:
      return 8;
    default:
      return 4;
  }
}

int64_t ReadImplicitAddend(RelocationField field, const uint8_t* place) {
  switch (field) {
    case F::kWord8:
      return SignExtend(place[0], 8);
    case F::kWord16:
      return SignExtend(ReadLittle<uint16_t>(place), 16);
    case F::kWord32:
    case F::kWord32Signed:
      return SignExtend(Read32(place), 32);
    case F::kArmPrel31:
      return SignExtend(Read32(place), 31);
    case F::kArmCall: {
      const uint32_t old = Read32(place);
      const bool is_blx = (old >> 25) == 0x7d;
      return SignExtend(old << 2 | (is_blx ? (old >> 24 & 1) << 1 : 0), 26);
    }
    case F::kArmJump24:
      return SignExtend(uint64_t{Read32(place)} << 2, 26);
    case F::kArmMovw:
    case F::kArmMovt: {
      const uint32_t old = Read32(place);
      return SignExtend((old >> 4 & 0xf000) | (old & 0xfff), 16);
    }
    case F::kThumbCall:
    case F::kThumbJump24: {
      const uint32_t high = ReadLittle<uint16_t>(place), low = ReadLittle<uint16_t>(place + 2);
      const uint32_t sign = high >> 10 & 1;
      const uint32_t i1 = (low >> 13 & 1) ^ sign ^ 1, i2 = (low >> 11 & 1) ^ sign ^ 1;
      return SignExtend(
          sign << 24 | i1 << 23 | i2 << 22 | (high & 0x3ff) << 12 | (low & 0x7ff) << 1, 25);
    }
    case F::kThumbJump19: {
      const uint32_t high = ReadLittle<uint16_t>(place), low = ReadLittle<uint16_t>(place + 2);
      return SignExtend((high >> 10 & 1) << 20 | (low >> 11 & 1) << 19 | (low >> 13 & 1) << 18 |
                            (high & 0x3f) << 12 | (low & 0x7ff) << 1,
                        21);
    }
    case F::kThumbJump11:
      return SignExtend((ReadLittle<uint16_t>(place) & 0x7ff) << 1, 12);
    case F::kThumbJump8:
      return SignExtend((ReadLittle<uint16_t>(place) & 0xff) << 1, 9);
    case F::kThumbMovw:
    case F::kThumbMovt: {
      const uint32_t high = ReadLittle<uint16_t>(place), low = ReadLittle<uint16_t>(place + 2);
      return SignExtend(
          (high & 15) << 12 | (high >> 10 & 1) << 11 | (low >> 12 & 7) << 8 | (low & 0xff), 16);
    }
    default:
      return 0;
  }
}

PatchResult PatchField(RelocationField field, int64_t value, uint8_t* place) {
  switch (field) {
    case F::kNone:
      return PatchResult::kOk;
    case F::kWord8:
      return FitsEither(value, 8) ? Store<uint8_t>(place, value) : PatchResult::kOutOfRange;
    case F::kWord16:
      return FitsEither(value, 16) ? Store<uint16_t>(place, value) : PatchResult::kOutOfRange;
    case F::kWord32:
      return FitsEither(value, 32) ? Store<uint32_t>(place, value) : PatchResult::kOutOfRange;
    case F::kWord32Signed:
      return FitsSigned(value, 32) ? Store<uint32_t>(place, value) : PatchResult::kOutOfRange;
    case F::kWord32Unsigned:
      return value >= 0 && FitsEither(value, 32) ? Store<uint32_t>(place, value)
                                                 : PatchResult::kOutOfRange;
    case F::kWord64:
      return Store<uint64_t>(place, value);
    case F::kAdd8:
      return Add<uint8_t>(place, value);
    case F::kAdd16:
      return Add<uint16_t>(place, value);
    case F::kAdd32:
      return Add<uint32_t>(place, value);
    case F::kAdd64:
      return Add<uint64_t>(place, value);
    case F::kSub8:
      return Add<uint8_t>(place, Negated(value));
    case F::kSub16:
      return Add<uint16_t>(place, Negated(value));
    case F::kSub32:
      return Add<uint32_t>(place, Negated(value));
    case F::kSub64:
      return Add<uint64_t>(place, Negated(value));
    case F::kSub6:
      place[0] = (place[0] & 0xc0) | ((place[0] - (value & 0x3f)) & 0x3f);
      return PatchResult::kOk;
    case F::kSet6:
      place[0] = (place[0] & 0xc0) | (value & 0x3f);
      return PatchResult::kOk;
    case F::kSet8:
      return Store<uint8_t>(place, value);
    case F::kSet16:
      return Store<uint16_t>(place, value);
    case F::kSet32:
      return Store<uint32_t>(place, value);
    case F::kA64Adr21:
    case F::kA64AdrPage: {
      const int64_t imm = field == F::kA64AdrPage ? value >> 12 : value;
      if (!FitsSigned(imm, 21)) return PatchResult::kOutOfRange;
      Insert32(place, 0x60ffffe0, Bits(imm, 0, 2, 29) | Bits(imm, 2, 19, 5));
      return PatchResult::kOk;
    }
    case F::kA64Add12:
      return PatchLoad(place, value, 0);
    case F::kA64Load8:
      return PatchLoad(place, value, 0);
    case F::kA64Load16:
      return PatchLoad(place, value, 1);
    case F::kA64Load32:
      return PatchLoad(place, value, 2);
    case F::kA64Load64:
      return PatchLoad(place, value, 3);
    case F::kA64Load128:
      return PatchLoad(place, value, 4);
    case F::kA64Branch26:
      return PatchScaled(place, value, 2, 26, 0);
    case F::kA64Branch19:
    case F::kA64Literal19:
      return PatchScaled(place, value, 2, 19, 5);
    case F::kA64Branch14:
      return PatchScaled(place, value, 2, 14, 5);
    case F::kRvBranch:
    case F::kRvJump:
    case F::kRvHigh20:
    case F::kRvLow12I:
    case F::kRvLow12S:
    case F::kRvCall:
    case F::kRvcBranch:
    case F::kRvcJump:
      return PatchRiscv(field, value, place);
    case F::kArmCall:
    case F::kArmJump24:
    case F::kArmMovw:
    case F::kArmMovt:
    case F::kArmPrel31:
      return PatchArm(field, value, place);
    default:
      return PatchThumb(field, value, place);
  }
}

}  // namespace lathe::runtime
