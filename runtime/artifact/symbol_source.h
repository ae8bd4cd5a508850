// Where symbols that compiled code wants but does not define are looked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/object.h"

namespace lathe::runtime {

// Addresses by name. `find` returns null where it has none; it must be thread-safe, and what it
// returns must outlive the modules that were given it.
struct SymbolSource {
  std::string name;  // for messages
  std::function<void*(const std::string&)> find;
};

// Data that compiled code refers to by a symbol (LATHE_CONSTANT_PREFIX) and does not hold itself.
struct ArtifactConstant {
  std::string symbol;
  std::string_view data;    // begins at a multiple of 64 bytes; never changes
  Ref<const Object> owner;  // keeps it where it is
};

// From a list of names and addresses.
SymbolSource SymbolTable(std::string name, std::unordered_map<std::string, void*> symbols);
// Everything global in this process by dlsym, then the C and mathematical functions that compilers
// call on their own (memcpy, expf, ...), which a statically linked program does not list.
SymbolSource ProcessSymbols();

}  // namespace lathe::runtime
