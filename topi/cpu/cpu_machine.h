// What a template must know of a processor to choose tile sizes by.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace lathe::topi::cpu {

enum class Architecture { kX86, kAArch64, kOther };  // kX86: of 64 bits

struct CpuMachine {
  Architecture architecture = Architecture::kOther;
  int vector_bytes = 16;
  int vector_registers = 16;
  // Per core, in bytes. No target says them; these are what processors of the last ten years have
  // at least. Choices that they decide lose little where there is more.
  int64_t l1_bytes = 32 * 1024;
  int64_t l2_bytes = 512 * 1024;
  // A result of this size has mostly left the caches when it is complete: it is written past them.
  // (Where the last cache is larger than that, whoever reads the result at once loses by it; images
  // of 24 MB lost a tenth beside a cache of 32.)
  int64_t streamed_bytes = 32 * 1024 * 1024;
  std::set<std::string> features;  // as LLVM names them: "avx512vnni", "amx-int8", "dotprod"

  bool Has(std::string_view feature) const { return features.count(std::string(feature)) != 0; }
  // Elements of a vector register.
  int64_t Lanes(DataType dtype) const { return vector_bytes * 8 / dtype.bits(); }
};

// Of a target of kind `llvm`, from its attributes (target::Target::attributes). They must be spelled
// out (driver::CanonicalTarget); of what they do not say, the least is assumed.
CpuMachine CpuMachineOf(const std::map<std::string, std::string>& attributes);

}  // namespace lathe::topi::cpu
