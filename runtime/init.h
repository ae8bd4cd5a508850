// The list of what the runtime itself provides: the cpu device, loaders of modules, loading of
// plugins on first use.
#pragma once

namespace lathe::runtime {

// Puts the runtime's own entries into the registry. Every entry point of the C interface, the
// driver and the tools call it; so does a C++ program that looks such entries up by name.
// Idempotent, thread-safe, a few ns after the first time.
void Initialize();

}  // namespace lathe::runtime
