#include "graph/import/onnx/small_floats.h"

#include <array>
#include <cmath>

#include "base/error.h"
#include "base/float_formats.h"

namespace lathe::graph::onnx {
namespace {

struct Format {
  int32_t type;
  const char* name;  // null: float4
  int largest;       // the bits of the largest finite number
  int nan;
  bool has_negative_zero;
  int sign = 0x80;  // the bit of negative numbers; 0: there are none
};
constexpr std::array kFormats = {
    Format{kFloat8E4M3FN, "float8_e4m3fn", 0x7E, 0x7F, true},
    Format{kFloat8E4M3FNUZ, "float8_e4m3fnuz", 0x7F, 0x80, false},
    Format{kFloat8E5M2, "float8_e5m2", 0x7B, 0x7F, true},
    Format{kFloat8E5M2FNUZ, "float8_e5m2fnuz", 0x7F, 0x80, false},
    Format{kFloat8E8M0, "float8_e8m0fnu", 0xFE, 0xFF, false, 0},
    // Has no NaN, which becomes -0, nor infinity.
    Format{kFloat4E2M1, nullptr, 0x7, 0x8, true, 0x8},
};

const Format* FindFormat(int32_t type) {
  for (const Format& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

const Format& FormatOf(int32_t type) {
  const Format* format = FindFormat(type);
  LATHE_CHECK(format != nullptr) << "no float of few bits: " << type;
  return *format;
}

std::vector<double> ValuesOf(const Format& format) {
  if (format.name == nullptr) {
    return {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};
  }
  DataType dtype;
  DataType::Parse(format.name, &dtype);
  std::vector<double> values;
  for (uint64_t bits = 0; bits < 256; ++bits) values.push_back(DecodeFloat(bits, dtype));
  return values;
}

// The largest numbers that become codes 0, 1, ...: x has as many of them below it as its code says.
std::vector<double> BordersOf(const Format& format, bool saturate, const std::string& rounding) {
  const std::vector<double> values = ValuesOf(format);
  const auto last = static_cast<size_t>(format.largest);
  std::vector<double> borders;
  for (size_t code = 0; code < last + (saturate ? 0 : 1); ++code) {
    const double next = code < last ? values[code + 1] : 2 * values[last] - values[last - 1];
    const auto middle = static_cast<float>((values[code] + next) / 2);
    const auto below = [](double x) { return std::nextafterf(static_cast<float>(x), 0); };
    if (format.sign == 0 && rounding == "up") {
      borders.push_back(values[code]);
    } else if (format.sign == 0 && rounding == "down") {
      borders.push_back(below(next));
    } else {
      // In the middle, x belongs to the even code; powers of two go up.
      borders.push_back(code % 2 == 0 && format.sign != 0 ? middle : below(middle));
    }
  }
  return borders;
}

}  // namespace

bool IsSmallFloat(int32_t type) { return FindFormat(type) != nullptr; }

GraphVar FromSmallFloat(const NodeContext& n, const GraphVar& x, int32_t type, DataType dtype) {
  const std::vector<double> values_of_codes = ValuesOf(FormatOf(type));
  const GraphVar table = n.importer.Constant(
      MakeFloats(values_of_codes, {static_cast<int64_t>(values_of_codes.size())},
                 DataType::Float(32)),
      n.name());
  const GraphVar values =
      n.Call("take", {table, n.Cast(x, DataType::Int(32))}, {{"axis", IntAttr(0)}});
  return n.Cast(values, dtype);
}

GraphVar ToSmallFloat(const NodeContext& n, const GraphVar& given, int32_t type, bool saturate,
                      const std::string& rounding) {
  const Format& format = FormatOf(type);
  const DataType real = DataType::Float(32), code_type = DataType::Int(32);
  const std::vector<Expr> shape = NodeContext::ShapeOf(given);
  const GraphVar x = n.Reshape(n.Cast(given, real), {Int64(-1)});
  // The bits of positive numbers are in the order of the numbers: the code of x is how many borders
  // between neighbours are below it.
  const bool has_rest = format.name != nullptr && format.sign != 0;  // infinity or NaN
  const std::vector<double> borders = BordersOf(format, saturate || !has_rest, rounding);
  const auto extent = static_cast<int64_t>(borders.size());
  const GraphVar table = n.importer.Constant(MakeFloats(borders, {extent}, real), n.name());
  const auto number = [&](int value) { return n.Scalar(value, code_type); };
  const GraphVar size = n.Call("searchsorted", {table, n.Call("abs", {x})});
  const GraphVar zero = n.Scalar(0, real);
  GraphVar negative = n.Call("less", {x, zero});
  GraphVar code = size;
  if (format.sign == 0) {
    code = n.Call("where", {negative, number(format.nan), size});
  } else {
    if (format.has_negative_zero) {
      negative =
          n.Call("logical_or", {negative, n.Call("less", {n.Call("reciprocal", {x}), zero})});
    } else {
      negative = n.Call("logical_and", {negative, n.Call("greater", {size, number(0)})});
    }
    code = n.Call("where", {negative, n.Add(size, number(format.sign)), size});
  }
  if (!saturate && !format.has_negative_zero && has_rest) {
    const GraphVar overflows = n.Call("greater", {size, number(format.largest)});
    code = n.Call("where", {overflows, number(format.nan), code});
  }
  code = n.Call("where", {n.Call("isnan", {x}), number(format.nan), code});
  return n.Reshape(n.Cast(code, DataType::UInt(8)), shape);
}

}  // namespace lathe::graph::onnx
