#include "backends/llvm/required_features.h"

#include <algorithm>
#include <string>
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
    {"llvm.x86.tdpbf16ps", "+amx-bf16,+amx-tile", ""},
    {"llvm.x86.tdpfp16ps", "+amx-fp16,+amx-tile", ""},
    {"llvm.x86.tdpb", "+amx-int8,+amx-tile", ""},
    {"llvm.x86.tile", "+amx-tile", ""},  // tileloadd64, tilestored64, tilezero, tilerelease
    {"llvm.x86.ldtilecfg", "+amx-tile", ""},
    {"llvm.x86.sttilecfg", "+amx-tile", ""},
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

// Those of `features` ("+a,+b") that the target takes away by -mattr=, as it spells them.
std::string TakenAway(std::string_view features, const llvm::TargetMachine& machine) {
  const std::string given = "," + machine.getTargetFeatureString().str() + ",";
  std::string found;
  while (!features.empty()) {
    const size_t end = std::min(features.find(','), features.size());
    const std::string without = "-" + std::string(features.substr(1, end - 1));
    if (given.find("," + without + ",") != std::string::npos)
      found += (found.empty() ? " -mattr=" : ",") + without;
    features.remove_prefix(std::min(end + 1, features.size()));
  }
  return found;
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
        .found = (cpu.empty() ? std::string("a target without -mcpu=") : "-mcpu=" + cpu) +
                 TakenAway(row->features, machine),
        .help = "choose a processor that has it by -mcpu=, add the feature by -mattr=, or schedule "
                "with another intrinsic"});
  }
}

}  // namespace lathe::llvm_backend
