// Writes and reads small binary formats; and a module for small vendors: functions that are words
// of code.
//
// Little-endian, 8 bytes per number. A Reader accepts any bytes: data that does not fit throws
// `module-damaged`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/sdk/module.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

class Writer {
 public:
  // `magic` identifies the format and its version.
  explicit Writer(std::string_view magic) : bytes_(magic) {}
  void Int(int64_t value);
  void Text(std::string_view text);
  void Ints(const std::vector<int64_t>& values);
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  // `bytes` is borrowed. Throws unless it begins with `magic`.
  Reader(std::string_view magic, std::string_view bytes);
  bool done() const { return rest_.empty(); }
  int64_t Int();
  std::string Text();
  std::vector<int64_t> Ints();

 private:
  std::string_view TakeBytes(uint64_t count);
  std::string_view rest_;
};

// Functions by name, each as words of code.
using Words = std::vector<int64_t>;
using WordFunctions = std::map<std::string, Words>;

// Bytes from which WordModuleLoader(magic, ...) makes a module with these functions. `metadata` is
// the JSON that describes them (MetadataOf, plugins/sdk/ir.h), or ""; no function may have an empty
// name.
std::string SaveWordFunctions(std::string_view magic, const WordFunctions& functions,
                              std::string_view metadata = "");

// Loads such bytes. A call of a function calls `run` with its words; Describe("metadata") returns
// the metadata.
using RunWords = std::function<Value(const Words& words, const Args& args)>;
ModuleLoader WordModuleLoader(std::string magic, RunWords run);

}  // namespace lathe::sdk
