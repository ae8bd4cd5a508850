#include "graph/import/values.h"

#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "arith/analyzer.h"
#include "base/float_formats.h"
#include "graph/builder.h"

namespace lathe::graph {

using ir::Expr;

std::vector<Expr> AsExtents(const std::vector<int64_t>& numbers) {
  std::vector<Expr> extents;
  extents.reserve(numbers.size());
  for (const int64_t number : numbers) extents.push_back(Int64(number));
  return extents;
}

Expr ProductOf(const std::vector<Expr>& extents, size_t begin, size_t end) {
  Expr product = Int64(1);
  for (size_t d = begin; d < end; ++d) product = product * extents[d];
  return arith::Analyzer().Simplify(product);
}

namespace {

// The whole part; of what no int64 has the end of its range, of NaN 0.
int64_t Whole(double value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (std::isnan(value)) return 0;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  return value < -kEnd ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

template <class T>
std::vector<T> ElementsOf(const TensorValue& value) {
  const auto width = static_cast<size_t>(value.dtype.bytes());
  const std::string_view bytes = value.data->bytes();
  std::vector<T> out;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, width);
    if (value.dtype.is_float()) {
      const double number = DecodeFloat(bits, value.dtype);
      if constexpr (std::is_integral_v<T>) {
        out.push_back(Whole(number));
      } else {
        out.push_back(number);
      }
    } else if (value.dtype.is_int()) {
      const int unused = 64 - value.dtype.bits();
      out.push_back(static_cast<T>(static_cast<int64_t>(bits << unused) >> unused));
    } else {
      out.push_back(static_cast<T>(bits));
    }
  }
  return out;
}

int64_t AsInt(int64_t value) { return value; }
int64_t AsInt(double value) { return Whole(value); }

template <class T>
TensorValue MakeTensor(const std::vector<T>& values, std::vector<int64_t> shape, DataType dtype) {
  const auto width = static_cast<size_t>(dtype.bytes());
  std::string bytes(values.size() * width, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = dtype.is_float() ? EncodeFloat(static_cast<double>(values[i]), dtype)
                                           : static_cast<uint64_t>(AsInt(values[i]));
    std::memcpy(bytes.data() + i * width, &bits, width);
  }
  return {dtype, std::move(shape), Blob::Copy(bytes)};
}

}  // namespace

std::vector<int64_t> IntsOf(const TensorValue& value) { return ElementsOf<int64_t>(value); }
std::vector<double> FloatsOf(const TensorValue& value) { return ElementsOf<double>(value); }
TensorValue MakeInts(const std::vector<int64_t>& values, std::vector<int64_t> shape,
                     DataType dtype) {
  return MakeTensor(values, std::move(shape), dtype);
}
TensorValue MakeFloats(const std::vector<double>& values, std::vector<int64_t> shape,
                       DataType dtype) {
  return MakeTensor(values, std::move(shape), dtype);
}

std::string SizeName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    out.push_back(std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_');
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "d" + out;
  return out;
}

}  // namespace lathe::graph
