#include "topi/cpu/cpu_machine.h"

#include <cstdlib>
#include <sstream>

namespace lathe::topi::cpu {

CpuMachine CpuMachineOf(const std::map<std::string, std::string>& attributes) {
  const auto get = [&](const char* key) {
    const auto it = attributes.find(key);
    return it == attributes.end() ? std::string() : it->second;
  };
  CpuMachine machine;
  std::istringstream features(get("mattr"));
  for (std::string feature; std::getline(features, feature, ',');) {
    if (feature[0] == '+') machine.features.insert(feature.substr(1));
  }
  if (const std::string bits = get("vector-width"); !bits.empty()) {
    machine.vector_bytes = std::atoi(bits.c_str()) / 8;
  }
  const std::string triple = get("mtriple");
  const bool x86 = triple.rfind("x86_64", 0) == 0 || triple.rfind("i686", 0) == 0;
  if (triple.rfind("x86_64", 0) == 0) machine.architecture = Architecture::kX86;
  if (triple.rfind("aarch64", 0) == 0) machine.architecture = Architecture::kAArch64;
  machine.vector_registers = x86 && !machine.Has("avx512f") ? 16 : 32;
  return machine;
}

}  // namespace lathe::topi::cpu
