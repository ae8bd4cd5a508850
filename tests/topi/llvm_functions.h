// What LLVM's functions for dot products and tiles compute, according to the processors' manuals.
// For the interpreter, which does not know them.
#pragma once

#include <array>
#include <cstdint>

#include "ir/interpreter/interpreter.h"

namespace lathe::topi::cpu {

// The functions of one thread of one processor. Tiles keep their contents from call to call.
class LlvmFunctions {
 public:
  // Returns false if the function is unknown. Throws std::logic_error if a processor would trap:
  // tiles that are not configured, or shapes that do not fit.
  bool Call(const ir::ExternCall& call);

 private:
  struct Tile {
    int rows = 0, bytes = 0;
    std::array<std::array<uint8_t, 64>, 16> data{};
  };
  bool CallTile(const ir::ExternCall& call);
  Tile& TileOf(const ir::ExternCall& call, size_t arg);
  void Configure(const ir::ExternCall& call);
  void Transfer(const ir::ExternCall& call, bool load);
  void Multiply(const ir::ExternCall& call);

  std::array<Tile, 8> tiles_;
  bool configured_ = false;
};

}  // namespace lathe::topi::cpu
