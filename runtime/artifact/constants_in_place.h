// Constants of an object that are used where they lie in its bytes, instead of in the linked image.
#pragma once

#include <string>
#include <unordered_map>

#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {

// Takes constants (symbols with LATHE_CONSTANT_PREFIX, alone in a read-only section without
// relocations) out of `object`, and returns their data by symbol. Afterwards the object does not
// define them, so the linker treats them as imports, and the bytes of the object must outlive the
// code.
//
// Takes only what imports can replace: data at a multiple of 64 bytes, which all code reaches
// through the global offset table. That is so in objects that Lathe wrote. Everything else stays.
std::unordered_map<std::string, const char*> TakeConstants(const Machine& machine,
                                                           ElfObject* object);

}  // namespace lathe::runtime
