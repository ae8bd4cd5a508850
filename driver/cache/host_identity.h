// Which processor this is, as code generators for "this machine" see it.
#pragma once

#include <string>

namespace lathe::driver {

// Equal on machines for which `native` means the same: architecture, model and features of the
// processor, which of them the system lets programs use, and its caches and cores
// (target/host_machine.h). Not for people.
std::string HostIdentity();

}  // namespace lathe::driver
