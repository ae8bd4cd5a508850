// AArch64: dot products in vectors of 16 bytes, and products of small matrices. (Arm Architecture
// Reference Manual for A-profile: SDOT, USDOT, SMMLA, BFDOT, BFMMLA, SMULL.)
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;

constexpr DataType kU8 = DataType::UInt(8), kS8 = DataType::Int(8);
constexpr DataType kS32 = DataType::Int(32), kU32 = DataType::UInt(32);
constexpr DataType kBf16 = DataType::BFloat16(), kF32 = DataType::Float(32);
constexpr DataType kBytes = DataType::Int(8, 16), kHalves = DataType::BFloat16(8);

// For all processors: products of 8 bytes as 16-bit numbers, added in pairs (smull, sadalp; umull,
// uadalp).
Expr PairsStep(const DotRow& row, const Expr& sums, const Expr& a, const Expr& b) {
  const bool is_signed = row.a.is_int();
  const auto call = [](DataType type, const char* function, std::vector<ir::NodeRef> args) {
    args.insert(args.begin(), ir::String(function));
    return ir::CallIntrinsic(type, ir::intrinsic::kLlvmIntrinsic, std::move(args));
  };
  if (is_signed) {
    return sums + call(sums->dtype, "llvm.aarch64.neon.saddlp",
                       {call(DataType::Int(16, 8), "llvm.aarch64.neon.smull", {a, b})});
  }
  const Expr pairs = call(DataType::UInt(32, 4), "llvm.aarch64.neon.uaddlp",
                          {call(DataType::UInt(16, 8), "llvm.aarch64.neon.umull", {a, b})});
  return sums + ir::CallIntrinsic(sums->dtype, ir::intrinsic::kReinterpret, {pairs});
}

// clang-format off
constexpr DotRow kRows[] = {
    // name              features   a      b      sum   rows columns depth cost  step
    {"aarch64.smmla",    "i8mm",    kS8,   kS8,   kS32, 2, 2, 8, 1, CallStep, "llvm.aarch64.neon.smmla",  kBytes},
    {"aarch64.ummla",    "i8mm",    kU8,   kU8,   kU32, 2, 2, 8, 1, CallStep, "llvm.aarch64.neon.ummla",  kBytes},
    {"aarch64.usmmla",   "i8mm",    kU8,   kS8,   kS32, 2, 2, 8, 1, CallStep, "llvm.aarch64.neon.usmmla", kBytes},
    {"aarch64.sdot",     "dotprod", kS8,   kS8,   kS32, 1, 4, 4, 1, CallStep, "llvm.aarch64.neon.sdot",   kBytes},
    {"aarch64.udot",     "dotprod", kU8,   kU8,   kU32, 1, 4, 4, 1, CallStep, "llvm.aarch64.neon.udot",   kBytes},
    {"aarch64.udot.s32", "dotprod", kU8,   kU8,   kS32, 1, 4, 4, 1, CallStep, "llvm.aarch64.neon.udot",   kBytes},
    {"aarch64.usdot",    "i8mm",    kU8,   kS8,   kS32, 1, 4, 4, 1, CallStep, "llvm.aarch64.neon.usdot",  kBytes},
    {"aarch64.smull",    "neon",    kS8,   kS8,   kS32, 1, 4, 2, 2, PairsStep, "",                         DataType::Int(8, 8)},
    {"aarch64.umull",    "neon",    kU8,   kU8,   kS32, 1, 4, 2, 2, PairsStep, "",                         DataType::Int(8, 8)},
    {"aarch64.bfmmla",   "bf16",    kBf16, kBf16, kF32, 2, 2, 4, 1, CallStep, "llvm.aarch64.neon.bfmmla", kHalves},
    {"aarch64.bfdot",    "bf16",    kBf16, kBf16, kF32, 1, 4, 2, 1, CallStep, "llvm.aarch64.neon.bfdot",  kHalves},
};
// clang-format on

}  // namespace

std::span<const DotRow> AArch64DotRows() { return kRows; }

}  // namespace lathe::topi::cpu
