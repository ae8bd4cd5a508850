#include "runtime/artifact/machine.h"

namespace lathe::runtime {

const RelocationKind* Machine::Find(uint32_t relocation) const {
  for (const RelocationKind& kind : relocations) {
    if (kind.number == relocation) return &kind;
  }
  return nullptr;
}

const Machine* FindMachine(uint16_t number, bool is_64) {
  for (const Machine* machine : {&kX8664, &kAArch64, &kRiscv64, &kArm}) {
    if (machine->number == number && machine->is_64 == is_64) return machine;
  }
  return nullptr;
}

const Machine* HostMachine() {
#if defined(__x86_64__) && defined(__LP64__)
  return &kX8664;
#elif defined(__aarch64__) && defined(__LP64__)
  return &kAArch64;
#elif defined(__riscv) && __riscv_xlen == 64
  return &kRiscv64;
#elif defined(__arm__)
  return &kArm;
#else
  return nullptr;
#endif
}

std::string KnownMachines() { return "aarch64, arm, riscv64 or x86_64"; }

}  // namespace lathe::runtime
