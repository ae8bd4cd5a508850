// Identifies the processor, as far as code generators for "this machine" depend on it.
#pragma once

#include <string>

namespace lathe::driver {

// The text is equal on machines for which `native` means the same. It has the processor's
// architecture, model and features, which features the system lets programs use, and the caches and
// cores (target/host_machine.h). It is not meant for people.
std::string HostIdentity();

}  // namespace lathe::driver
