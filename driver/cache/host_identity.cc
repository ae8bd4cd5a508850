#include "driver/cache/host_identity.h"

#include <sys/auxv.h>

#include <cstdint>
#include <fstream>
#include <iterator>

#include "runtime/cpu_features.h"
#include "target/host_machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lathe::driver {
namespace {

#if defined(__x86_64__)
std::string Processor() {
  std::string out;
  const auto leaf = [&](uint32_t number, uint32_t sub, bool with_b) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(number, sub, &a, &b, &c, &d);
    if (!with_b) b = 0;
    for (const uint32_t word : {a, b, c, d}) out += std::to_string(word) + ",";
  };
  leaf(0, 0, true);   // vendor
  leaf(1, 0, false);  // family, model, features; b is different on each core
  leaf(7, 0, true);   // features
  leaf(7, 1, true);
  leaf(0x80000001, 0, true);  // AMD's features
  uint32_t low = 0, high = 0, a = 0, b = 0, c = 0, d = 0;
  __get_cpuid(1, &a, &b, &c, &d);
  if ((c & (1U << 27)) != 0) asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return out + std::to_string(low) + "," + std::to_string(high);
}
#else
// The same facts that LLVM uses: the system's list of features, and the part number of the first
// core.
std::string Processor() {
  std::string out =
      std::to_string(getauxval(AT_HWCAP)) + "," + std::to_string(getauxval(AT_HWCAP2)) + ",";
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  // Lines that stay the same over time and on all cores.
  while (std::getline(file, line)) {
    for (const char* key :
         {"CPU implementer", "CPU part", "CPU variant", "isa", "uarch", "model"}) {
      if (line.rfind(key, 0) == 0) out += line + ";";
    }
  }
  return out;
}
#endif

}  // namespace

std::string HostIdentity() {
  static const auto* processor =
      new std::string(std::string(runtime::HostArchitecture()) + ":" + Processor());
  std::string identity = *processor;
  for (const auto& [key, value] : target::HostFigures()) identity += ";" + key + "=" + value;
  return identity;
}

}  // namespace lathe::driver
