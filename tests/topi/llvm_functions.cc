#include "tests/topi/llvm_functions.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::topi::cpu {
namespace {

using ir::ExternCall;
using ir::Lane;

void Require(bool fits, const std::string& what) {
  if (!fits) throw std::logic_error(what);
}

// Returns the vector's bytes, lowest lane first.
std::vector<uint8_t> BytesOf(const ExternCall::Argument& arg) {
  std::vector<uint8_t> bytes;
  for (const Lane& lane : arg.lanes) {
    if (arg.type.is_bfloat16()) {
      const float value = static_cast<float>(lane.d);
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      bytes.push_back(static_cast<uint8_t>(bits >> 16));
      bytes.push_back(static_cast<uint8_t>(bits >> 24));
      continue;
    }
    for (int b = 0; b < arg.type.bits() / 8; ++b)
      bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(lane.i) >> (8 * b)));
  }
  return bytes;
}

// Readers of elements of one type from bytes.
using Reader = double (*)(const uint8_t*);
double Unsigned8(const uint8_t* at) { return *at; }
double Signed8(const uint8_t* at) { return static_cast<int8_t>(*at); }
double Signed16(const uint8_t* at) {
  int16_t value;
  std::memcpy(&value, at, 2);
  return value;
}
double Brain16(const uint8_t* at) {
  const uint32_t bits = static_cast<uint32_t>(at[0]) << 16 | static_cast<uint32_t>(at[1]) << 24;
  float value;
  std::memcpy(&value, &bits, 4);
  return static_cast<double>(value);
}

// c[i, j] += sum over k of a[i, k] * b[j, k], in doubles, which is exact for the tests' values.
struct Shape {
  std::string_view name;
  Reader a, b;
  int bytes;  // of an element
  int depth;
  int rows = 0, columns = 0;  // 0: element by element, each with its own row of a
};

constexpr Shape kShapes[] = {
    {"llvm.x86.avx512.vpdpbusd.", Unsigned8, Signed8, 1, 4},
    {"llvm.x86.avx2.vpdpbssd.", Signed8, Signed8, 1, 4},
    {"llvm.x86.avx512bf16.dpbf16ps.", Brain16, Brain16, 2, 2},
    {"llvm.aarch64.neon.sdot", Signed8, Signed8, 1, 4},
    {"llvm.aarch64.neon.udot", Unsigned8, Unsigned8, 1, 4},
    {"llvm.aarch64.neon.usdot", Unsigned8, Signed8, 1, 4},
    {"llvm.aarch64.neon.bfdot", Brain16, Brain16, 2, 2},
    {"llvm.aarch64.neon.smmla", Signed8, Signed8, 1, 8, 2, 2},
    {"llvm.aarch64.neon.ummla", Unsigned8, Unsigned8, 1, 8, 2, 2},
    {"llvm.aarch64.neon.usmmla", Unsigned8, Signed8, 1, 8, 2, 2},
    {"llvm.aarch64.neon.bfmmla", Brain16, Brain16, 2, 4, 2, 2},
};

void Put(Lane& lane, DataType type, double value) {
  if (type.is_float())
    lane.d = value;
  else
    lane.i = static_cast<int64_t>(value);
}
double Get(const Lane& lane, DataType type) {
  return type.is_float() ? lane.d : static_cast<double>(lane.i);
}

void Accumulate(const Shape& shape, const ExternCall& call) {
  const std::vector<uint8_t> a = BytesOf(call.args[1]), b = BytesOf(call.args[2]);
  for (size_t at = 0; at < call.result.size(); ++at) {
    const size_t row = shape.rows == 0 ? at : at / static_cast<size_t>(shape.columns),
                 column = shape.rows == 0 ? at : at % static_cast<size_t>(shape.columns);
    double sum = Get(call.args[0].lanes[at], call.args[0].type);
    const size_t step = static_cast<size_t>(shape.depth * shape.bytes);
    for (size_t k = 0; k < step; k += static_cast<size_t>(shape.bytes))
      sum += shape.a(&a[row * step + k]) * shape.b(&b[column * step + k]);
    Put(call.result[at], call.type, sum);
  }
}

// Multiplies 16-bit neighbours and adds the products in pairs, to 32 bits.
void MultiplyPairs(const ExternCall& call) {
  const std::vector<uint8_t> a = BytesOf(call.args[0]), b = BytesOf(call.args[1]);
  for (size_t at = 0; at < call.result.size(); ++at) {
    call.result[at].i = static_cast<int64_t>(Signed16(&a[at * 4]) * Signed16(&b[at * 4]) +
                                             Signed16(&a[at * 4 + 2]) * Signed16(&b[at * 4 + 2]));
  }
}

}  // namespace

bool LlvmFunctions::Call(const ExternCall& call) {
  for (const Shape& shape : kShapes) {
    if (!call.name.starts_with(shape.name)) continue;
    Accumulate(shape, call);
    return true;
  }
  if (call.name == "llvm.x86.sse2.pmadd.wd" || call.name == "llvm.x86.avx2.pmadd.wd" ||
      call.name == "llvm.x86.avx512.pmaddw.d.512") {
    MultiplyPairs(call);
    return true;
  }
  if (call.name == "llvm.aarch64.neon.smull" || call.name == "llvm.aarch64.neon.umull") {
    for (size_t i = 0; i < call.result.size(); ++i)
      call.result[i].i = call.args[0].lanes[i].i * call.args[1].lanes[i].i;
    return true;
  }
  if (call.name == "llvm.aarch64.neon.saddlp" || call.name == "llvm.aarch64.neon.uaddlp") {
    for (size_t i = 0; i < call.result.size(); ++i)
      call.result[i].i = call.args[0].lanes[2 * i].i + call.args[0].lanes[2 * i + 1].i;
    return true;
  }
  return CallTile(call);
}

bool LlvmFunctions::CallTile(const ExternCall& call) {
  const std::string_view name = call.name;
  if (name == "llvm.x86.ldtilecfg") {
    Configure(call);
  } else if (name == "llvm.x86.tilerelease") {
    tiles_ = {};
    configured_ = false;
  } else if (name == "llvm.x86.tilezero") {
    TileOf(call, 0).data = {};
  } else if (name == "llvm.x86.tileloadd64") {
    Transfer(call, true);
  } else if (name == "llvm.x86.tilestored64") {
    Transfer(call, false);
  } else if (name == "llvm.x86.tdpbusd" || name == "llvm.x86.tdpbssd" ||
             name == "llvm.x86.tdpbf16ps") {
    Multiply(call);
  } else {
    return false;
  }
  return true;
}

LlvmFunctions::Tile& LlvmFunctions::TileOf(const ExternCall& call, size_t arg) {
  Require(configured_, "tiles are not configured");
  const int64_t number = call.args[arg].lanes[0].i;
  Require(number >= 0 && number < 8, "no such tile");
  return tiles_[static_cast<size_t>(number)];
}

void LlvmFunctions::Configure(const ExternCall& call) {
  Require(call.args[0].bytes >= 64, "a configuration has 64 bytes");
  const auto* data = static_cast<const uint8_t*>(call.args[0].data);
  Require(data[0] == 1, "palette 1");
  for (int at : {1, 2, 3, 15, 32, 47, 56, 63}) Require(data[at] == 0, "reserved bytes are 0");
  for (size_t t = 0; t < 8; ++t) {
    tiles_[t] = {};
    tiles_[t].bytes = data[16 + 2 * t] | data[17 + 2 * t] << 8;
    tiles_[t].rows = data[48 + t];
    Require(tiles_[t].bytes <= 64 && tiles_[t].rows <= 16, "a tile has 16 rows of 64 bytes");
  }
  configured_ = true;
}

void LlvmFunctions::Transfer(const ExternCall& call, bool load) {
  Tile& tile = TileOf(call, 0);
  const int64_t stride = call.args[2].lanes[0].i;
  const auto size = static_cast<size_t>(tile.bytes);
  Require(call.args[1].bytes >= static_cast<size_t>((tile.rows - 1) * stride) + size,
          "a tile beyond its memory");
  auto* at = static_cast<uint8_t*>(call.args[1].data);
  for (int r = 0; r < tile.rows; ++r, at += stride) {
    auto& row = tile.data[static_cast<size_t>(r)];
    if (load) {
      row = {};
      std::memcpy(row.data(), at, size);
    } else {
      std::memcpy(at, row.data(), size);
    }
  }
}

void LlvmFunctions::Multiply(const ExternCall& call) {
  Tile& c = TileOf(call, 0);
  const Tile &a = TileOf(call, 1), &b = TileOf(call, 2);
  Require(a.rows == c.rows && b.bytes == c.bytes && a.bytes / 4 == b.rows, "tiles do not fit");
  const bool floats = call.name == "llvm.x86.tdpbf16ps";
  const Reader of_a = floats                            ? Brain16
                      : call.name == "llvm.x86.tdpbusd" ? Unsigned8
                                                        : Signed8,
               of_b = floats ? Brain16 : Signed8;
  const int bytes = floats ? 2 : 1;
  for (size_t i = 0; i < static_cast<size_t>(c.rows); ++i) {
    for (size_t j = 0; j < static_cast<size_t>(c.bytes / 4); ++j) {
      double sum = 0;
      for (size_t k = 0; k < static_cast<size_t>(a.bytes / 4); ++k) {
        for (size_t r = 0; r < 4; r += static_cast<size_t>(bytes))
          sum += of_a(&a.data[i][k * 4 + r]) * of_b(&b.data[k][j * 4 + r]);
      }
      uint8_t* at = &c.data[i][j * 4];
      if (floats) {
        float value;
        std::memcpy(&value, at, 4);
        value += static_cast<float>(sum);
        std::memcpy(at, &value, 4);
      } else {
        int32_t value;
        std::memcpy(&value, at, 4);
        value = static_cast<int32_t>(static_cast<uint32_t>(value) +
                                     static_cast<uint32_t>(static_cast<int64_t>(sum)));
        std::memcpy(at, &value, 4);
      }
    }
  }
}

}  // namespace lathe::topi::cpu
