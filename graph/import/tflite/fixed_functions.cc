#include "graph/import/tflite/fixed_functions.h"

#include <algorithm>
#include <cmath>

#include "graph/import/fixed_point.h"

namespace lathe::graph::tflite {
namespace {

constexpr int64_t kLeast = -32768, kMost = 32767;
constexpr int64_t kOne = kMost;  // the nearest number without bits before the point

int64_t Saturated(int64_t x) { return std::clamp(x, kLeast, kMost); }

int64_t Product(int64_t a, int64_t b) { return Saturated((a * b + (1 << 14)) >> 15); }

// The kernels have their constants in 32 bits, and round those.
int64_t Number(double value, int integer = 0) {
  return Saturated(RoundedShift(std::llround(std::ldexp(value, 31 - integer)), 16));
}

// exp(x) for x in [-1/4, 0): the polynomial of degree 4 around -1/8.
int64_t ExpNearZero(int64_t x) {
  const int64_t middle = Number(std::exp(-0.125));
  const int64_t d = x + (1 << 12), square = Product(d, d);
  const int64_t cube = Product(square, d), fourth = RoundedShift(Product(square, square), 2);
  const int64_t behind = RoundedShift(Product(fourth + cube, Number(1.0 / 3)) + square, 1);
  return Saturated(middle + Product(middle, d + behind));
}

// exp(x) for x <= 0: what is left of a multiple of 1/4, times a factor for each bit of that.
int64_t Exp(int64_t x, int integer) {
  if (x == 0) return kOne;
  const int behind = 15 - integer;
  const int64_t quarter = int64_t{1} << (behind - 2);
  const int64_t part = (x & (quarter - 1)) - quarter, rest = part - x;
  int64_t y = ExpNearZero(Saturated(part * (int64_t{1} << integer)));
  for (int e = -2; e < std::min(integer, 5); ++e) {
    if (((rest >> (behind + e)) & 1) != 0) y = Product(y, Number(std::exp(-std::ldexp(1, e))));
  }
  return integer > 5 && x < -(int64_t{32} << behind) ? 0 : y;
}

// 2 / (1 + x) for x in [0, 1], with 2 bits before the point: three of Newton's steps.
int64_t TwiceInverseOfOnePlus(int64_t x) {
  const int64_t half = (x + kOne + 1) / 2;
  int64_t y = Number(48.0 / 17, 2) + Product(half, Number(-32.0 / 17, 2));
  for (int i = 0; i < 3; ++i) {
    const int64_t error = (1 << 13) - Product(half, y);
    y += Saturated(Product(y, error) * 4);
  }
  return y;
}

template <class F>
std::vector<int64_t> Table(const F& function) {
  std::vector<int64_t> table;
  for (int64_t x = kLeast; x <= kMost; ++x) table.push_back(function(x));
  return table;
}

}  // namespace

std::vector<int64_t> SigmoidTable(int integer) {
  return Table([&](int64_t x) -> int64_t {
    if (x == 0) return 1 << 14;
    const int64_t y = Saturated(TwiceInverseOfOnePlus(Exp(-std::abs(x), integer)) * 2);
    return x < 0 ? kOne - y : y;
  });
}

std::vector<int64_t> TanhTable(int integer) {
  return Table([&](int64_t x) -> int64_t {
    if (x == 0) return 0;
    // (1 - e) / (1 + e) with e = exp(-2 |x|)
    const int64_t inverse = TwiceInverseOfOnePlus(Exp(-std::abs(x), integer + 1));
    const int64_t y = Saturated((inverse - (1 << 13)) * 4);
    return x < 0 ? -y : y;
  });
}

}  // namespace lathe::graph::tflite
