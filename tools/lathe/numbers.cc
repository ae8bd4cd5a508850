#include "tools/lathe/numbers.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/float_formats.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::Tensor;

constexpr int64_t kShown = 8;

bool HasNumbers(DataType dtype) {
  return dtype.lanes() == 1 && (dtype.is_integral() || dtype.is_float() || dtype.is_bool());
}

double ReadElement(const char* at, DataType dtype) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(dtype.bytes()));
  if (dtype.is_float()) return DecodeFloat(bits, dtype);
  if (dtype.is_int() && dtype.bits() < 64) {
    const int shift = 64 - dtype.bits();
    return static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
  }
  return dtype.is_int() ? static_cast<double>(static_cast<int64_t>(bits))
                        : static_cast<double>(bits);
}

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
uint64_t NextRandom(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

absl::StatusOr<Tensor> MakeFilled(std::string_view how, const std::vector<int64_t>& shape,
                                  DataType dtype, uint64_t seed) {
  if (!HasNumbers(dtype)) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "run-no-fill",
                      "cannot make up elements of type " + dtype.ToString() +
                          "\n  expected: integers, floats or bools\n  help: pass a .npy file");
  }
  LATHE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Empty(shape, dtype));
  std::string bytes(tensor.num_bytes(), '\0');
  if (how == "random") {
    const auto element = static_cast<size_t>(dtype.bytes());
    for (size_t at = 0; at < bytes.size(); at += element) {
      const uint64_t random = NextRandom(&seed);
      uint64_t bits =
          dtype.is_bool()
              ? random & 1
              : random % 10 % (uint64_t{1} << std::min(dtype.bits() - dtype.is_int(), 8));
      if (dtype.is_float())
        bits = EncodeFloat(static_cast<double>(random >> 40) / (1 << 23) - 1.0, dtype);
      std::memcpy(bytes.data() + at, &bits, element);
    }
  }
  LATHE_RETURN_IF_ERROR(tensor.CopyFromHost(bytes.data(), bytes.size()));
  return tensor;
}

absl::StatusOr<std::vector<double>> NumbersOf(const Tensor& tensor) {
  if (!HasNumbers(tensor.dtype())) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "run-no-numbers",
                      "elements of type " + tensor.dtype().ToString() +
                          " are no numbers\n  expected: integers, floats or bools");
  }
  std::string bytes(tensor.num_bytes(), '\0');
  LATHE_RETURN_IF_ERROR(tensor.CopyToHost(bytes.data(), bytes.size()));
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    numbers.push_back(ReadElement(bytes.data() + i * tensor.dtype().bytes(), tensor.dtype()));
  return numbers;
}

absl::StatusOr<std::string> Summary(const Tensor& tensor) {
  std::string out = tensor.ToString();
  const int64_t count = tensor.num_elements();
  if (count == 0 || !HasNumbers(tensor.dtype())) return out;
  std::string bytes(tensor.num_bytes(), '\0');
  LATHE_RETURN_IF_ERROR(tensor.CopyToHost(bytes.data(), bytes.size()));
  char text[64];
  out += ":";
  double low = 0, high = 0, sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = ReadElement(bytes.data() + i * tensor.dtype().bytes(), tensor.dtype());
    if (i < kShown) {
      std::snprintf(text, sizeof text, " %.6g", value);
      out += text;
    }
    low = i == 0 || value < low ? value : low;
    high = i == 0 || value > high ? value : high;
    sum += value;
  }
  if (count > kShown) out += " ...";
  std::snprintf(text, sizeof text, "; min %.6g, max %.6g", low, high);
  out += text;
  std::snprintf(text, sizeof text, ", mean %.6g", sum / static_cast<double>(count));
  return out + text;
}

}  // namespace lathe::cli
