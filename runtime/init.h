// Registers everything that the runtime itself provides: the cpu device, module loaders, loading of
// plugins on first use.
#pragma once

namespace lathe::runtime {

// Every entry point of the C interface, the driver and the tools call this. A C++ program that
// looks up these entries by name must call it, too. Idempotent, thread-safe, a few ns after the
// first call.
void Initialize();

}  // namespace lathe::runtime
