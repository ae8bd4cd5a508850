// Where symbols that compiled code refers to but does not define are searched.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/object.h"

namespace lathe::runtime {

// Addresses by name. `find` returns null for unknown names; it must be thread-safe, and its results
// must outlive the modules that use them.
struct SymbolSource {
  std::string name;  // for messages
  std::function<void*(const std::string&)> find;
};

// Data that compiled code refers to by a symbol (LATHE_CONSTANT_PREFIX) but does not contain.
struct ArtifactConstant {
  std::string symbol;
  std::string_view data;    // begins at a multiple of 64 bytes; never changes
  Ref<const Object> owner;  // keeps the data alive
};

// Makes a source from a list of names and addresses.
SymbolSource SymbolTable(std::string name, std::unordered_map<std::string, void*> symbols);
// All global symbols of this process (dlsym), then the C and mathematical functions that compilers
// call by themselves (memcpy, expf, ...), which a statically linked program does not list.
SymbolSource ProcessSymbols();

}  // namespace lathe::runtime
