// Copies from blocks of channels into planes: tiles are transposed in registers.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "te/operation.h"
#include "tests/topi/auto_scheduled.h"

namespace lathe::topi::cpu {
namespace {

using te::At;
using te::Compute;
using te::Indices;
using te::Placeholder;
using te::Tensor;

struct Case {
  int64_t channels, height, width, block;
  int64_t tile;  // that is transposed; 0: none fits
};
// With vectors of 16 elements.
constexpr Case kCases[] = {
    {64, 3, 32, 16, 16}, {24, 5, 56, 16, 8}, {136, 4, 28, 16, 4},
    {32, 4, 14, 16, 0},  {20, 7, 7, 16, 0},  {32, 3, 16, 8, 8},
};

// Blocks as layouts have them, and then the first channels: the last block may have more.
std::vector<Tensor> FromBlocks(const Case& c) {
  const int64_t blocks = (c.channels + c.block - 1) / c.block;
  const Tensor x = Placeholder(
      {ir::Int(1), ir::Int(blocks), ir::Int(c.height), ir::Int(c.width), ir::Int(c.block)},
      DataType::Float(32), "X");
  const Tensor plain = Compute(
      {ir::Int(1), ir::Int(blocks * c.block), ir::Int(c.height), ir::Int(c.width)},
      [&](const Indices& i) {
        return At(
            x, {i[0], ir::FloorDivide(i[1], c.block), i[2], i[3], ir::FloorModulo(i[1], c.block)});
      },
      "plain");
  const Tensor first = Compute(
      {ir::Int(1), ir::Int(c.channels), ir::Int(c.height), ir::Int(c.width)},
      [&](const Indices& i) { return At(plain, {i[0], i[1], i[2], i[3]}); }, "first");
  return {x, first};
}

TEST(AutoSchedule, CopiesFromBlocksAreTransposed) {
  target::Machine machine;
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  for (const Case& c : kCases) {
    const std::vector<Tensor> args = FromBlocks(c);
    const std::string text = ir::ToText(schedule::ToProgram(AutoSchedule({args[1]->op}, machine),
                                                            {args.begin(), args.end()}, "program"));
    const std::string size = std::to_string(c.tile);
    const std::string wanted = "transpose_" + size + "x" + size;
    EXPECT_EQ(text.find(wanted) != std::string::npos, c.tile != 0) << text;
    if (c.tile == 0) EXPECT_EQ(text.find("transpose_"), std::string::npos) << text;
  }
}

TEST_P(AutoScheduled, CopiesFromBlocks) {
  for (const Case& c : kCases) Check(FromBlocks(c));
}

}  // namespace
}  // namespace lathe::topi::cpu
