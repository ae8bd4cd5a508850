// Names the functions that contain addresses of this process, hidden functions too. Reads the
// symbol tables of the mapped files.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace lathe::faults {

struct Symbol {
  std::string name;    // demangled; "" if no table has it
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
