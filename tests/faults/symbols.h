// Names of the functions that addresses of this process lie in, hidden ones too: from the symbol
// tables of the files that are mapped.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace lathe::faults {

struct Symbol {
  std::string name;    // demangled; "" where no table has it
  std::string object;  // the file's name without its folder
};

class Symbols {
 public:
  Symbols();
  ~Symbols();
  // `address` is a return address.
  const Symbol& Of(const void* address);

 private:
  struct Table;
  const Table& TableOf(const std::string& path);
  std::map<std::string, std::unique_ptr<Table>> tables_;
  std::map<const void*, Symbol> known_;
};

}  // namespace lathe::faults
