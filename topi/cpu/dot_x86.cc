// X86: dot products in vectors, and AMX's tiles. (Intel 64 Architectures Software Developer's
// Manual, volume 2: PMADDWD, VPDPBUSD, VPDPBSSD, VDPBF16PS, TDPBUSD, TDPBF16PS.)
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;

constexpr DataType kU8 = DataType::UInt(8), kS8 = DataType::Int(8), kS32 = DataType::Int(32);
constexpr DataType kBf16 = DataType::BFloat16(), kF32 = DataType::Float(32);

// The even or odd bytes of each 16-bit lane, widened to 16 bits.
Expr Bytes(const Expr& v, bool odd) {
  const bool is_signed = v->dtype.is_int();
  const int lanes = v->dtype.lanes() / 2;
  const DataType wide = (is_signed ? DataType::Int(16) : DataType::UInt(16)).with_lanes(lanes);
  const Expr pairs = ir::CallIntrinsic(wide, ir::intrinsic::kReinterpret, {v}),
             eight = ir::Const(8, wide);
  const auto shift = [&](const char* way, const Expr& x) {
    return ir::CallIntrinsic(way, {x, eight});
  };
  const Expr bytes =
      odd         ? shift(ir::intrinsic::kShiftRight, pairs)
      : is_signed ? shift(ir::intrinsic::kShiftRight, shift(ir::intrinsic::kShiftLeft, pairs))
                  : ir::CallIntrinsic(ir::intrinsic::kBitwiseAnd, {pairs, ir::Const(255, wide)});
  return ir::CallIntrinsic(DataType::Int(16, lanes), ir::intrinsic::kReinterpret, {bytes});
}

// For processors without VNNI. Even and odd bytes are widened to 16-bit numbers separately; pmaddwd
// multiplies the pairs and adds them exactly. (pmaddubsw needs only one step, but saturates to 16
// bits.)
// A step counts as three instructions: of its two multiplications and two additions, processors run
// the additions beside other work, and a tile shares what widens the bytes.
Expr PairsStep(const DotRow& row, const Expr& sums, const Expr& a, const Expr& b) {
  const auto products = [&](bool odd) {
    return ir::CallIntrinsic(sums->dtype, ir::intrinsic::kLlvmIntrinsic,
                             {ir::String(row.function), Bytes(a, odd), Bytes(b, odd)});
  };
  return sums + products(false) + products(true);
}

constexpr DataType I32(int lanes) { return DataType::Int(32, lanes); }
constexpr DataType Bf(int lanes) { return DataType::BFloat16(lanes); }

// clang-format off
constexpr DotRow kRows[] = {
    // name                 features               a      b      sum   rows columns depth cost  step
    {"x86.vpdpbusd.512",    "avx512vnni",          kU8,   kS8,   kS32, 1, 16, 4, 1, CallStep, "llvm.x86.avx512.vpdpbusd.512", I32(16)},
    {"x86.vpdpbusd.256",    "avx512vnni,avx512vl", kU8,   kS8,   kS32, 1,  8, 4, 1, CallStep, "llvm.x86.avx512.vpdpbusd.256", I32(8)},
    {"x86.vpdpbusd.128",    "avx512vnni,avx512vl", kU8,   kS8,   kS32, 1,  4, 4, 1, CallStep, "llvm.x86.avx512.vpdpbusd.128", I32(4)},
    {"x86.avx.vpdpbusd.256", "avxvnni",            kU8,   kS8,   kS32, 1,  8, 4, 1, CallStep, "llvm.x86.avx512.vpdpbusd.256", I32(8)},
    {"x86.avx.vpdpbusd.128", "avxvnni",            kU8,   kS8,   kS32, 1,  4, 4, 1, CallStep, "llvm.x86.avx512.vpdpbusd.128", I32(4)},
    {"x86.vpdpbusd.s8u8.512", "avx512vnni", kS8,   kU8,   kS32, 1, 16, 4, 1, TurnedStep, "llvm.x86.avx512.vpdpbusd.512", I32(16)},
    {"x86.vpdpbusd.s8u8.256", "avx512vnni,avx512vl", kS8,   kU8,   kS32, 1,  8, 4, 1, TurnedStep, "llvm.x86.avx512.vpdpbusd.256", I32(8)},
    {"x86.vpdpbusd.s8u8.128", "avx512vnni,avx512vl", kS8,   kU8,   kS32, 1,  4, 4, 1, TurnedStep, "llvm.x86.avx512.vpdpbusd.128", I32(4)},
    {"x86.avx.vpdpbusd.s8u8.256", "avxvnni", kS8,   kU8,   kS32, 1,  8, 4, 1, TurnedStep, "llvm.x86.avx512.vpdpbusd.256", I32(8)},
    {"x86.avx.vpdpbusd.s8u8.128", "avxvnni", kS8,   kU8,   kS32, 1,  4, 4, 1, TurnedStep, "llvm.x86.avx512.vpdpbusd.128", I32(4)},
    {"x86.avx.vpdpbssd.256", "avxvnniint8",        kS8,   kS8,   kS32, 1,  8, 4, 1, CallStep, "llvm.x86.avx2.vpdpbssd.256",   I32(8)},
    {"x86.avx.vpdpbssd.128", "avxvnniint8",        kS8,   kS8,   kS32, 1,  4, 4, 1, CallStep, "llvm.x86.avx2.vpdpbssd.128",   I32(4)},
    {"x86.pmaddwd.u8s8.512", "avx512bw",           kU8,   kS8,   kS32, 1, 16, 4, 3, PairsStep, "llvm.x86.avx512.pmaddw.d.512", I32(16)},
    {"x86.pmaddwd.u8s8.256", "avx2",               kU8,   kS8,   kS32, 1,  8, 4, 3, PairsStep, "llvm.x86.avx2.pmadd.wd",      I32(8)},
    {"x86.pmaddwd.u8s8.128", "",                   kU8,   kS8,   kS32, 1,  4, 4, 3, PairsStep, "llvm.x86.sse2.pmadd.wd",      I32(4)},
    {"x86.pmaddwd.s8s8.512", "avx512bw",           kS8,   kS8,   kS32, 1, 16, 4, 3, PairsStep, "llvm.x86.avx512.pmaddw.d.512", I32(16)},
    {"x86.pmaddwd.s8s8.256", "avx2",               kS8,   kS8,   kS32, 1,  8, 4, 3, PairsStep, "llvm.x86.avx2.pmadd.wd",      I32(8)},
    {"x86.pmaddwd.s8s8.128", "",                   kS8,   kS8,   kS32, 1,  4, 4, 3, PairsStep, "llvm.x86.sse2.pmadd.wd",      I32(4)},
    {"x86.vdpbf16ps.512",   "avx512bf16",          kBf16, kBf16, kF32, 1, 16, 2, 1, CallStep, "llvm.x86.avx512bf16.dpbf16ps.512", Bf(32)},
    {"x86.vdpbf16ps.256",   "avx512bf16,avx512vl", kBf16, kBf16, kF32, 1,  8, 2, 1, CallStep, "llvm.x86.avx512bf16.dpbf16ps.256", Bf(16)},
    {"x86.vdpbf16ps.128",   "avx512bf16,avx512vl", kBf16, kBf16, kF32, 1,  4, 2, 1, CallStep, "llvm.x86.avx512bf16.dpbf16ps.128", Bf(8)},
};

constexpr TileRow kTiles[] = {
    {"x86.tdpbusd",   "amx-int8,amx-tile", kU8,   kS8,   kS32, "llvm.x86.tdpbusd"},
    {"x86.tdpbssd",   "amx-int8,amx-tile", kS8,   kS8,   kS32, "llvm.x86.tdpbssd"},
    {"x86.tdpbf16ps", "amx-bf16,amx-tile", kBf16, kBf16, kF32, "llvm.x86.tdpbf16ps"},
};
// clang-format on

}  // namespace

std::span<const DotRow> X86DotRows() { return kRows; }
std::span<const TileRow> X86TileRows() { return kTiles; }

}  // namespace lathe::topi::cpu
