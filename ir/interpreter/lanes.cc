#include "ir/interpreter/lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/float_formats.h"

// a * b + c must round twice. Contraction by the compiler would make results depend on the host.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

namespace lathe::ir::interp {
namespace {

int64_t WrapInt(int64_t value, DataType type) {
  const int drop = 64 - type.bits();
  const uint64_t high = static_cast<uint64_t>(value) << drop;
  return type.is_uint() ? static_cast<int64_t>(high >> drop) : static_cast<int64_t>(high) >> drop;
}

bool IsUnsigned64(DataType type) { return type.is_uint() && type.bits() == 64; }

// -- Integers. Unsigned types narrower than 64 bits are zero-extended, so signed operations work
// for them too.

struct IntAdd {
  static int64_t Of(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
};
struct IntSub {
  static int64_t Of(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }
};
struct IntMul {
  static int64_t Of(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
// Division by -1 is negation, because hardware may trap if a is the least integer.
struct IntDiv {
  static int64_t Of(int64_t a, int64_t b) {
    if (b == 0) return 0;
    return b == -1 ? IntSub::Of(0, a) : a / b;
  }
};
struct IntMod {
  static int64_t Of(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
};
struct IntFloorMod {
  static int64_t Of(int64_t a, int64_t b) {
    const int64_t m = IntMod::Of(a, b);
    return m != 0 && (m < 0) != (b < 0) ? m + b : m;
  }
};
struct IntFloorDiv {
  static int64_t Of(int64_t a, int64_t b) {
    const int64_t q = IntDiv::Of(a, b), m = IntMod::Of(a, b);
    return m != 0 && (m < 0) != (b < 0) ? q - 1 : q;
  }
};
struct IntMin {
  static int64_t Of(int64_t a, int64_t b) { return std::min(a, b); }
};
struct IntMax {
  static int64_t Of(int64_t a, int64_t b) { return std::max(a, b); }
};

struct WordDiv {
  static uint64_t Of(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
};
struct WordMod {
  static uint64_t Of(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
};
struct WordMin {
  static uint64_t Of(uint64_t a, uint64_t b) { return std::min(a, b); }
};
struct WordMax {
  static uint64_t Of(uint64_t a, uint64_t b) { return std::max(a, b); }
};

template <class F>
void IntKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType type) {
  for (int k = 0; k < lanes; ++k) out[k].i = WrapInt(F::Of(a[k].i, b[k].i), type);
}
template <class F>
void WordKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) {
    out[k].i =
        static_cast<int64_t>(F::Of(static_cast<uint64_t>(a[k].i), static_cast<uint64_t>(b[k].i)));
  }
}

// -- Floats: computed in double for float64, else in float.

struct FloatAdd {
  template <class T>
  static T Of(T a, T b) {
    return a + b;
  }
};
struct FloatSub {
  template <class T>
  static T Of(T a, T b) {
    return a - b;
  }
};
struct FloatMul {
  template <class T>
  static T Of(T a, T b) {
    return a * b;
  }
};
struct FloatDiv {
  template <class T>
  static T Of(T a, T b) {
    return a / b;
  }
};
struct FloatFloorDiv {
  template <class T>
  static T Of(T a, T b) {
    return std::floor(a / b);
  }
};
struct FloatFloorMod {
  template <class T>
  static T Of(T a, T b) {
    const T product = std::floor(a / b) * b;
    return a - product;
  }
};
// If one operand is NaN, the result is the other.
struct FloatMin {
  template <class T>
  static T Of(T a, T b) {
    return std::fmin(a, b);
  }
};
struct FloatMax {
  template <class T>
  static T Of(T a, T b) {
    return std::fmax(a, b);
  }
};

template <class F>
void DoubleKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) out[k].d = F::Of(a[k].d, b[k].d);
}
template <class F>
void FloatKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) {
    out[k].d = F::Of(static_cast<float>(a[k].d), static_cast<float>(b[k].d));
  }
}
template <class F>
void NarrowKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType type) {
  for (int k = 0; k < lanes; ++k) {
    out[k].d = RoundToType(F::Of(static_cast<float>(a[k].d), static_cast<float>(b[k].d)), type);
  }
}

// -- Comparisons.

struct Eq {
  template <class T>
  static bool Of(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool Of(T a, T b) {
    return a != b;
  }
};
struct Lt {
  template <class T>
  static bool Of(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool Of(T a, T b) {
    return a <= b;
  }
};
template <class F>
void CompareInts(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) out[k].i = F::Of(a[k].i, b[k].i) ? 1 : 0;
}
template <class F>
void CompareWords(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) {
    out[k].i = F::Of(static_cast<uint64_t>(a[k].i), static_cast<uint64_t>(b[k].i)) ? 1 : 0;
  }
}
template <class F>
void CompareFloats(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) out[k].i = F::Of(a[k].d, b[k].d) ? 1 : 0;
}
template <BinaryKernel kernel>
void Swapped(Lane* out, const Lane* a, const Lane* b, int lanes, DataType type) {
  kernel(out, b, a, lanes, type);
}

void AndKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) out[k].i = a[k].i & b[k].i;
}
void OrKernel(Lane* out, const Lane* a, const Lane* b, int lanes, DataType) {
  for (int k = 0; k < lanes; ++k) out[k].i = a[k].i | b[k].i;
}

template <class F>
BinaryKernel FloatKernelFor(DataType type) {
  if (type.code() != kDLFloat || type.bits() == 16) return NarrowKernel<F>;
  return type.bits() == 64 ? DoubleKernel<F> : FloatKernel<F>;
}
template <class F>
BinaryKernel CompareFor(DataType type, bool swapped) {
  if (type.is_float()) return swapped ? Swapped<CompareFloats<F>> : CompareFloats<F>;
  if (IsUnsigned64(type)) return swapped ? Swapped<CompareWords<F>> : CompareWords<F>;
  return swapped ? Swapped<CompareInts<F>> : CompareInts<F>;
}

BinaryKernel FloatKernelFor(NodeKind kind, DataType type) {
  switch (kind) {
    case NodeKind::kAdd:
      return FloatKernelFor<FloatAdd>(type);
    case NodeKind::kSub:
      return FloatKernelFor<FloatSub>(type);
    case NodeKind::kMul:
      return FloatKernelFor<FloatMul>(type);
    case NodeKind::kDiv:
      return FloatKernelFor<FloatDiv>(type);
    case NodeKind::kFloorDiv:
      return FloatKernelFor<FloatFloorDiv>(type);
    case NodeKind::kFloorMod:
      return FloatKernelFor<FloatFloorMod>(type);
    case NodeKind::kMin:
      return FloatKernelFor<FloatMin>(type);
    case NodeKind::kMax:
      return FloatKernelFor<FloatMax>(type);
    default:
      return nullptr;
  }
}

BinaryKernel IntKernelFor(NodeKind kind, DataType type) {
  const bool word = IsUnsigned64(type);
  switch (kind) {
    case NodeKind::kAdd:
      return IntKernel<IntAdd>;
    case NodeKind::kSub:
      return IntKernel<IntSub>;
    case NodeKind::kMul:
      return IntKernel<IntMul>;
    case NodeKind::kDiv:
      return word ? WordKernel<WordDiv> : IntKernel<IntDiv>;
    case NodeKind::kMod:
      return word ? WordKernel<WordMod> : IntKernel<IntMod>;
    case NodeKind::kFloorDiv:
      return word ? WordKernel<WordDiv> : IntKernel<IntFloorDiv>;
    case NodeKind::kFloorMod:
      return word ? WordKernel<WordMod> : IntKernel<IntFloorMod>;
    case NodeKind::kMin:
      return word ? WordKernel<WordMin> : IntKernel<IntMin>;
    case NodeKind::kMax:
      return word ? WordKernel<WordMax> : IntKernel<IntMax>;
    default:
      return nullptr;
  }
}

int64_t SaturateToInt(double value, DataType to) {
  if (std::isnan(value)) return 0;
  const double truncated = std::trunc(value);
  // 2^(bits - 1) and 2^bits are exact in double; the largest values below them may not be.
  const int value_bits = to.is_uint() ? to.bits() : to.bits() - 1;
  const double limit = std::ldexp(1.0, value_bits);
  const uint64_t largest = value_bits == 64 ? ~uint64_t{0} : (uint64_t{1} << value_bits) - 1;
  if (truncated >= limit) return static_cast<int64_t>(largest);
  if (to.is_uint()) {
    return truncated <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(truncated));
  }
  if (truncated <= -limit) return static_cast<int64_t>(~largest);
  return static_cast<int64_t>(truncated);
}

// Direct for float64 and float32, through float32 for narrower formats.
double IntToFloat(int64_t value, bool is_unsigned, DataType to) {
  const auto word = static_cast<uint64_t>(value);
  if (to.code() == kDLFloat && to.bits() == 64) {
    return is_unsigned ? static_cast<double>(word) : static_cast<double>(value);
  }
  const float single = is_unsigned ? static_cast<float>(word) : static_cast<float>(value);
  return RoundToType(single, to);
}

uint64_t LoadBytes(const uint8_t* at, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes));
  return bits;
}

}  // namespace

BinaryKernel KernelFor(NodeKind kind, DataType type) {
  switch (kind) {
    case NodeKind::kEQ:
      return CompareFor<Eq>(type, false);
    case NodeKind::kNE:
      return CompareFor<Ne>(type, false);
    case NodeKind::kLT:
      return CompareFor<Lt>(type, false);
    case NodeKind::kLE:
      return CompareFor<Le>(type, false);
    case NodeKind::kGT:
      return CompareFor<Lt>(type, true);
    case NodeKind::kGE:
      return CompareFor<Le>(type, true);
    case NodeKind::kAnd:
      return AndKernel;
    case NodeKind::kOr:
      return OrKernel;
    default:
      return type.is_float() ? FloatKernelFor(kind, type) : IntKernelFor(kind, type);
  }
}

bool IsIntegerDivision(NodeKind kind, DataType type) {
  return type.is_integral() && (kind == NodeKind::kDiv || kind == NodeKind::kMod ||
                                kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod);
}

Lane RoundLane(Lane lane, DataType type) {
  if (type.is_float()) {
    lane.d = RoundToType(lane.d, type);
  } else if (type.is_bool()) {
    lane.i = lane.i != 0 ? 1 : 0;
  } else if (type.is_integral()) {
    lane.i = WrapInt(lane.i, type);
  }
  return lane;
}

void RoundLanes(Lane* lanes, int count, DataType type) {
  for (int k = 0; k < count; ++k) lanes[k] = RoundLane(lanes[k], type);
}

Lane CastLane(Lane lane, DataType from, DataType to) {
  Lane out;
  if (to.is_bool()) {
    out.i = (from.is_float() ? lane.d != 0 : lane.i != 0) ? 1 : 0;
  } else if (to.is_float()) {
    out.d = from.is_float() ? RoundToType(lane.d, to) : IntToFloat(lane.i, from.is_uint(), to);
  } else if (to.is_integral()) {
    out.i = from.is_float() ? SaturateToInt(lane.d, to) : WrapInt(lane.i, to);
  } else {
    out = lane;
  }
  return out;
}

Lane ReadLane(const uint8_t* at, int index, DataType type) {
  const int bits = type.bits();
  uint64_t raw = 0;
  if (bits < 8) {
    const int position = index * bits;
    raw = (at[position / 8] >> (position % 8)) & ((1u << bits) - 1);
  } else {
    const int bytes = bits / 8;
    raw = LoadBytes(at + static_cast<ptrdiff_t>(index) * bytes, bytes);
  }
  Lane lane;
  if (type.is_float()) {
    lane.d = DecodeFloat(raw, type);
  } else if (type.is_bool()) {
    lane.i = raw != 0 ? 1 : 0;
  } else if (type.is_integral()) {
    lane.i = WrapInt(static_cast<int64_t>(raw), type);
  } else {
    lane.i = static_cast<int64_t>(raw);
  }
  return lane;
}

void WriteLane(uint8_t* at, int index, DataType type, Lane lane) {
  const int bits = type.bits();
  const uint64_t raw = type.is_float() ? EncodeFloat(lane.d, type) : static_cast<uint64_t>(lane.i);
  if (bits < 8) {
    const int position = index * bits;
    const unsigned mask = ((1u << bits) - 1) << (position % 8);
    uint8_t& byte = at[position / 8];
    byte = static_cast<uint8_t>((byte & ~mask) |
                                ((static_cast<unsigned>(raw) << (position % 8)) & mask));
  } else {
    const int bytes = bits / 8;
    std::memcpy(at + static_cast<ptrdiff_t>(index) * bytes, &raw, static_cast<size_t>(bytes));
  }
}

std::string FormatLane(Lane lane, DataType type) {
  if (type.is_bool()) return lane.i != 0 ? "true" : "false";
  if (type.is_uint()) return std::to_string(static_cast<uint64_t>(lane.i));
  if (type.is_integral()) return std::to_string(lane.i);
  if (!type.is_float()) return lane.i == 0 ? "null" : "a handle";
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", type.bits() == 64 ? 17 : 9, lane.d);
  return text;
}

std::string FormatShown(Lane lane, DataType type, ShownAs as) {
  if (as == ShownAs::kItself || !type.is_integral()) return FormatLane(lane, type);
  if (as == ShownAs::kKind) return ValueKindText(lane.i);
  const auto word = static_cast<uint64_t>(lane.i);
  if (as == ShownAs::kDtype) {
    return DataType(DLDataType{static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8),
                               static_cast<uint16_t>(word >> 16)})
        .ToString();
  }
  return "device kind " + std::to_string(static_cast<int32_t>(word)) + ", number " +
         std::to_string(static_cast<int32_t>(word >> 32));
}

}  // namespace lathe::ir::interp
