#include "runtime/rpc/machine.h"

#include <gnu/libc-version.h>

#include <string>

#include "lathe/abi/plugin.h"
#include "runtime/cpu_features.h"

namespace lathe::runtime::rpc {

Machine ThisMachine() {
  Machine machine;
  machine.target = std::string(HostArchitecture()) + "-linux, glibc " + gnu_get_libc_version();
  for (const std::string& feature : HostFeatures())
    machine.features += (machine.features.empty() ? "" : ",") + feature;
  machine.runtime = LATHE_VERSION;
  machine.pointer_bits = 8 * sizeof(void*);
  machine.little_endian = 1;
  return machine;
}

}  // namespace lathe::runtime::rpc
