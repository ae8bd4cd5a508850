#include "backends/llvm/required_features.h"

#include <string_view>

#include "base/error.h"
#include "llvm/MC/MCSubtargetInfo.h"

namespace lathe::llvm_backend {
namespace {

struct Row {
  std::string_view intrinsic;  // or the beginning of its name
  std::string_view features;   // as -mattr= takes them
  std::string_view instead;    // other features that serve as well; may be empty
};

// The first row that fits counts.
constexpr Row kRows[] = {
    {"llvm.x86.avx512.vpdpbusd.512", "+avx512vnni", ""},
    {"llvm.x86.avx512.vpdpbusd.", "+avx512vnni,+avx512vl", "+avxvnni"},
    {"llvm.x86.avx2.vpdpbssd.", "+avxvnniint8", ""},
    {"llvm.x86.avx512.pmaddw.d.512", "+avx512bw", ""},
    {"llvm.x86.avx2.pmadd.wd", "+avx2", ""},
    {"llvm.x86.avx512bf16.dpbf16ps.512", "+avx512bf16", ""},
    {"llvm.x86.avx512bf16.dpbf16ps.", "+avx512bf16,+avx512vl", ""},
    {"llvm.aarch64.neon.sdot", "+dotprod", ""},
    {"llvm.aarch64.neon.udot", "+dotprod", ""},
    {"llvm.aarch64.neon.usdot", "+i8mm", ""},
    {"llvm.aarch64.neon.smmla", "+i8mm", ""},
    {"llvm.aarch64.neon.ummla", "+i8mm", ""},
    {"llvm.aarch64.neon.usmmla", "+i8mm", ""},
    {"llvm.aarch64.neon.bfmmla", "+bf16", ""},
    {"llvm.aarch64.neon.bfdot", "+bf16", ""},
};

const Row* Find(std::string_view name) {
  for (const Row& row : kRows) {
    if (name.starts_with(row.intrinsic)) return &row;
  }
  return nullptr;
}

}  // namespace

void RequireFeatures(const llvm::Module& module, const llvm::TargetMachine& machine,
                     const std::string& cpu) {
  const llvm::MCSubtargetInfo& has = *machine.getMCSubtargetInfo();
  for (const llvm::Function& function : module) {
    if (!function.isIntrinsic() || function.use_empty()) continue;
    const std::string name = function.getName().str();
    const Row* row = Find(name);
    if (row == nullptr || has.checkFeatures(std::string(row->features)) ||
        (!row->instead.empty() && has.checkFeatures(std::string(row->instead))))
      continue;
    std::string wanted = "`" + std::string(row->features) + "`";
    if (!row->instead.empty()) wanted += " or `" + std::string(row->instead) + "`";
    throw Error(Diagnostic{
        .name = "llvm-missing-feature",
        .message = "the processor lacks the instruction of `" + name + "`",
        .expected = "a processor with " + wanted,
        .found = cpu.empty() ? std::string("a target without -mcpu=") : "-mcpu=" + cpu,
        .help = "choose a processor that has it by -mcpu=, add the feature by -mattr=, or schedule "
                "with another intrinsic"});
  }
}

}  // namespace lathe::llvm_backend
