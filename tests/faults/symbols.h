// Names the functions that contain addresses of this process, hidden functions too. Reads the
// symbol tables of the mapped files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe::faults {

struct Symbol {
  std::string name;    // demangled; "" if no table has it
  std::string object;  // the file's name without its folder
};

class Symbols {
 public:
  // Reads the tables of all files that are mapped now. That takes seconds where LLVM is among them,
  // so do it once and let forks inherit it.
  Symbols();
  ~Symbols();
  // `address` is a return address.
  const Symbol& Of(const void* address);

 private:
  struct Table;
  struct Object {
    uintptr_t begin, end, base;
    std::string path;
  };
  const Table& TableOf(const std::string& path);
  bool Find(uintptr_t address, Object* object) const;

  std::vector<Object> objects_;  // sorted by `begin`
  std::map<std::string, std::unique_ptr<Table>> tables_;
  std::map<const void*, Symbol> known_;
};

}  // namespace lathe::faults
