#include "lower/math/expansion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"

namespace lathe::lower {
namespace {

using ir::Expr;

DataType Like(int code, int bits, DataType lanes) {
  return DataType(
      DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), lanes.dl().lanes});
}

// Builds one expansion: values get names, so that the result is a chain of lets and not an
// exploding tree.
class Builder {
 public:
  Builder(DataType like, const MathOptions& options)
      : options_(options), float_(Like(kDLFloat, 32, like)), int_(Like(kDLInt, 32, like)) {}
  const MathOptions& options() const { return options_; }

  Expr Name(Expr value) {
    ir::Var var = ir::MakeVar("m" + std::to_string(lets_.size()), value->dtype);
    lets_.emplace_back(var, std::move(value));
    return var;
  }
  Expr Close(Expr body) {
    for (size_t i = lets_.size(); i-- > 0;)
      body = ir::MakeLet(lets_[i].first, lets_[i].second, body);
    lets_.clear();
    return body;
  }

  Expr F(double value) const { return Splat(ir::Float(value), float_); }
  Expr I(int64_t value) const { return Splat(ir::Int(value), int_); }
  Expr Bits(const Expr& x) const { return ir::Reinterpret(int_, x); }
  Expr Float(const Expr& x) const { return ir::Reinterpret(float_, x); }
  Expr ToFloat(const Expr& x) const { return ir::MakeCast(float_, x); }
  // A power of two from an integer exponent in [-126, 127].
  Expr PowerOfTwo(const Expr& exponent) const {
    return Float(ir::ShiftLeft(exponent + I(127), I(23)));
  }
  // c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
  Expr Polynomial(const Expr& x, const std::vector<double>& c) const {
    Expr sum = F(c.back());
    for (size_t i = c.size() - 1; i-- > 0;) sum = sum * x + F(c[i]);
    return sum;
  }
  Expr Magnitude(const Expr& x) const { return Float(ir::BitwiseAnd(Bits(x), I(0x7fffffff))); }
  // `magnitude` (not negative) with the sign of x.
  Expr WithSign(const Expr& magnitude, const Expr& x) const {
    return Float(ir::BitwiseOr(Bits(magnitude),
                               ir::BitwiseAnd(Bits(x), I(std::numeric_limits<int32_t>::min()))));
  }
  // The smaller, the larger; x where it is NaN (ir::MakeMin would drop it).
  Expr AtMost(const Expr& x, double limit) const {
    return ir::MakeSelect(x > F(limit), F(limit), x);
  }
  Expr AtLeast(const Expr& x, double limit) const {
    return ir::MakeSelect(x < F(limit), F(limit), x);
  }

 private:
  static Expr Splat(Expr scalar, DataType like) {
    if (like.is_scalar()) return scalar;
    Ref<ir::Broadcast> node = Make<ir::Broadcast>();
    node->dtype = like;
    node->value = std::move(scalar);
    return node;
  }
  const MathOptions options_;
  DataType float_, int_;
  std::vector<std::pair<ir::Var, Expr>> lets_;
};

// Adding 1.5 * 2^23 rounds a number below 2^22 to an integer, to nearest even, and leaves it in the
// low bits.
constexpr double kRounder = 12582912.0;
constexpr int64_t kRounderBits = 0x4b400000;

// ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e4p-1, kLn2Low = 0x1.7f7d1cp-20;
constexpr double kLog2E = 0x1.715476p+0;

// A number taken apart: x = k ln 2 + rest, |rest| <= ln 2 / 2. The low bits of `shifted` are those
// of the integer k + bias.
struct Reduced {
  Expr shifted, k, rest;
};

Reduced ReduceExp(Builder& b, const Expr& x, int bias = 0) {
  const Expr rounder = b.F(kRounder + bias);
  const Expr shifted = b.Name(x * b.F(kLog2E) + rounder);
  const Expr k = b.Name(shifted - rounder);
  return {shifted, k, b.Name((x - k * b.F(kLn2High)) - k * b.F(kLn2Low))};
}

// 2^(k + bias - 127) for k + bias in [1, 254]: the low bits become the exponent, all others go.
Expr PowerOfTwoOf(const Builder& b, const Reduced& r) {
  return b.Float(ir::ShiftLeft(b.Bits(r.shifted), b.I(23)));
}

// e^r for |r| <= ln 2 / 2. Coefficients: minimax fit of (e^r - 1 - r) / r^2, relative to e^r,
// rounded to float32 one after another, error 2^-27.8.
Expr ExpSmall(Builder& b, const Expr& r) {
  return b.Name(
      b.Polynomial(r, {1, 1, 0x1p-1, 0x1.555466p-3, 0x1.555302p-5, 0x1.1257a6p-7, 0x1.6fe4c4p-10}));
}

// value * 2^power for powers in [-252, 254], rounded once. Without scalb in two steps, so that
// neither factor overflows.
Expr Scale(Builder& b, const Expr& value, const Expr& power, const Expr& power_bits) {
  if (b.options().scalb) return ir::CallIntrinsic(ir::intrinsic::kScalb, {value, power});
  const Expr whole = b.Name(b.Bits(power_bits) - b.I(kRounderBits));
  const Expr half = b.Name(ir::ShiftRight(whole, b.I(1)));
  return (value * b.PowerOfTwo(half)) * b.PowerOfTwo(whole - half);
}

constexpr double kTanhHalf = 0.5493061;  // the inverse of tanh at 1/2

// Beyond these every result is 0 or infinite.
constexpr double kExpLow = -104, kExpHigh = 89;

Expr Exp(Builder& b, const Expr& x) {
  const Expr clamped = b.Name(b.AtLeast(b.Name(b.AtMost(x, kExpHigh)), kExpLow));
  const Reduced r = ReduceExp(b, clamped);
  return Scale(b, ExpSmall(b, r.rest), r.k, r.shifted);
}

Expr Exp2(Builder& b, const Expr& x) {
  const Expr clamped = b.Name(b.AtLeast(b.Name(b.AtMost(x, 129)), -151));
  const Expr shifted = b.Name(clamped + b.F(kRounder));
  const Expr k = b.Name(shifted - b.F(kRounder));
  const Expr rest = b.Name((clamped - k) * b.F(M_LN2));
  return Scale(b, ExpSmall(b, rest), k, shifted);
}

// e^x for x in [-80, 80]: one factor does.
Expr ExpMiddle(Builder& b, const Expr& x) {
  const Reduced r = ReduceExp(b, x, 127);
  return b.Name(ExpSmall(b, r.rest) * PowerOfTwoOf(b, r));
}

// e^x for x <= 0: by a power of two that is 2^32 too large, so that it is a normal number, and one
// constant; rounded once.
Expr ExpOfNegative(Builder& b, const Expr& x) {
  const Expr clamped = b.Name(b.AtLeast(x, kExpLow));
  if (b.options().scalb) {
    const Reduced r = ReduceExp(b, clamped);
    return b.Name(Scale(b, ExpSmall(b, r.rest), r.k, r.shifted));
  }
  const Reduced r = ReduceExp(b, clamped, 127 + 32);
  return b.Name((ExpSmall(b, r.rest) * PowerOfTwoOf(b, r)) * b.F(0x1p-32));
}

// A positive number as 2^k * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); log(1 + f) = f + f2r.
struct LogParts {
  Expr k, f, f2r;
};

LogParts ReduceLog(Builder& b, const Expr& x) {
  // Subnormal numbers are scaled up first.
  const Expr tiny = b.Name(x < b.F(0x1p-126));
  const Expr scaled = b.Name(ir::MakeSelect(tiny, x * b.F(0x1p23), x));
  const Expr bias = b.Name(ir::MakeSelect(tiny, b.F(-23), b.F(0)));
  // Counting exponents from sqrt(1/2) puts the mantissa around 1.
  const int64_t sqrt_half = 0x3f3504f3;
  const Expr bits = b.Name(b.Bits(scaled));
  const Expr exponent = b.Name(ir::ShiftRight(bits - b.I(sqrt_half), b.I(23)));
  const Expr mantissa = b.Float(bits - ir::ShiftLeft(exponent, b.I(23)));
  const Expr f = b.Name(mantissa - b.F(1));
  const Expr k = b.Name(b.ToFloat(exponent) + bias);
  // Minimax fit of (log(1 + f) - f) / f^2, relative to log(1 + f), error 2^-24.8.
  const Expr r =
      b.Polynomial(f, {-0x1.fffff8p-2, 0x1.55555p-2, -0x1.000404p-2, 0x1.99a1a4p-3, -0x1.54003ep-3,
                       0x1.22d1aap-3, -0x1.122d2ap-3, 0x1.04e976p-3, -0x1.18f39cp-4});
  return {k, f, b.Name(r * (f * f))};
}

// What `value` is for positive finite x, else what a logarithm gives.
Expr LogSpecials(Builder& b, const Expr& x, const Expr& value) {
  const double inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  const Expr zero = b.F(0);
  // inf stays, NaN stays.
  const Expr rest =
      ir::MakeSelect(x < zero, b.F(nan), ir::MakeSelect(ir::Equal(x, zero), b.F(-inf), x));
  return ir::MakeSelect(ir::LogicalAnd(x > zero, x < b.F(inf)), value, rest);
}

Expr Log(Builder& b, const Expr& x) {
  const LogParts p = ReduceLog(b, x);
  return LogSpecials(b, x, p.k * b.F(kLn2High) + (p.f + (p.f2r + p.k * b.F(kLn2Low))));
}

Expr Log2(Builder& b, const Expr& x) {
  const LogParts p = ReduceLog(b, x);
  // log2(e) = 1 + 0.4427: the first part is exact.
  const Expr small = p.f * b.F(M_LOG2E - 1) + p.f2r * b.F(M_LOG2E);
  return LogSpecials(b, x, p.k + (p.f + small));
}

Expr Log10(Builder& b, const Expr& x) {
  const LogParts p = ReduceLog(b, x);
  // log10(2) and log10(e) in two parts; the first ones have so few bits that their products with k,
  // and with the upper half of f, are exact.
  const double log10_2_high = 0x1.3440p-2, log10_2_low = 0x1.3509f79fef312p-18;
  const double log10_e = 0x1.bcb7b1526e50ep-2, log10_e_high = 0x1.bccp-2,
               log10_e_low = -0x1.09d5b235e4000p-15;
  const Expr high = b.Name(b.Float(ir::BitwiseAnd(b.Bits(p.f), b.I(-4096))));
  const Expr rest = p.f2r * b.F(log10_e) + (p.f * b.F(log10_e_low) + p.k * b.F(log10_2_low));
  const Expr small = high * b.F(log10_e_high) + ((p.f - high) * b.F(log10_e_high) + rest);
  return LogSpecials(b, x, p.k * b.F(log10_2_high) + small);
}

Expr Tanh(Builder& b, const Expr& x) {
  const Expr a = b.Name(b.Magnitude(x));
  // Below 1/2 an odd polynomial: (tanh(x) - x) / x^3 in x^2, error 2^-24.7 relative to tanh.
  const Expr z = b.Name(a * a);
  const Expr q = b.Polynomial(z, {-0x1.555454p-2, 0x1.10cf5ep-3, -0x1.af877ap-5, 0x1.0d7a02p-6});
  const Expr near = b.Name((q * z) * a + a);
  // From there on 1 - 2 / (e^2a + 1), from 9.1 on 1. The error of e^2a counts for 3/8 in the
  // result, and less further on: a polynomial of degree 5 in the rest r will do, weighted so, error
  // 2^-23.7 of e^2r at 1/2, and ln 2 / 2 in one part.
  const Expr c = b.Name(b.AtMost(a, 9.1));
  const Expr shifted = b.Name(c * b.F(2 * kLog2E) + b.F(kRounder));
  const Expr k = b.Name(shifted - b.F(kRounder));
  const Expr r = b.Name(c - k * b.F(M_LN2 / 2));
  const Expr p = b.Name(b.Polynomial(
      r, {1, 0x1.fffff2p+0, 0x1.fffde2p+0, 0x1.555cb2p+0, 0x1.57309ap-1, 0x1.0eb8p-2}));
  // k is added to p's exponent.
  const Expr e = b.Name(b.Float(b.Bits(p) + ir::ShiftLeft(b.Bits(shifted), b.I(23))));
  const Expr far = b.Name(b.F(1) - b.F(2) / (e + b.F(1)));
  // NaN is in `near`: in `far` the addition to its bits may have made a number of it.
  return b.WithSign(b.Name(ir::MakeSelect(a > b.F(kTanhHalf), far, near)), x);
}

Expr Sigmoid(Builder& b, const Expr& x) {
  const Expr negative =
      b.Name(b.Float(ir::BitwiseOr(b.Bits(x), b.I(std::numeric_limits<int32_t>::min()))));
  const Expr e = ExpOfNegative(b, negative);
  // With w = e / (1 + e): 1 - w for x >= 0, e / (1 + e) = e - e w below, where the error of w
  // counts for less than in w.
  const Expr w = b.Name(e / (e + b.F(1)));
  const Expr n = b.Name(ir::MakeSelect(x < b.F(0), e, b.F(1)));
  return n - n * w;
}

Expr Erf(Builder& b, const Expr& x) {
  const Expr a = b.Name(b.Magnitude(x));
  // Near 0: erf(x) / x - 1 in x^2, error 2^-25.8 relative to erf.
  const Expr z = b.Name(a * a);
  const Expr q = b.Polynomial(z, {0x1.06eba6p-3, -0x1.8126e2p-2, 0x1.ce1984p-4, -0x1.b67bcep-6,
                                  0x1.46d836p-8, -0x1.386bf4p-11});
  const Expr near = b.Name(q * a + a);
  // Elsewhere 1 - erfc(x), the logarithm of erfc as a polynomial on [0.9, 3.95], error 2^-33 of
  // erfc; then it is 1.
  const Expr c = b.Name(b.AtMost(a, 3.95));
  const Expr log_erfc =
      b.Name(b.Polynomial(c, {0x1.62dae2p-13, -0x1.212628p+0, -0x1.444d16p-1, -0x1.bb45b4p-4,
                              0x1.9aed2ep-6, -0x1.106542p-8, 0x1.c4651ap-12, -0x1.5d8576p-16}));
  const Expr far = b.Name(b.F(1) - ExpMiddle(b, log_erfc));
  return b.WithSign(b.Name(ir::MakeSelect(a < b.F(0.92), near, far)), x);
}

struct Function {
  const char* name;
  Expr (*expand)(Builder&, const Expr&);
};
constexpr Function kFunctions[] = {{ir::intrinsic::kExp, Exp},         {ir::intrinsic::kExp2, Exp2},
                                   {ir::intrinsic::kLog, Log},         {ir::intrinsic::kLog2, Log2},
                                   {ir::intrinsic::kLog10, Log10},     {ir::intrinsic::kTanh, Tanh},
                                   {ir::intrinsic::kSigmoid, Sigmoid}, {ir::intrinsic::kErf, Erf}};

const Function* Find(const std::string& name) {
  for (const Function& function : kFunctions) {
    if (name == function.name) return &function;
  }
  return nullptr;
}

bool IsFloat32(DataType dtype) { return dtype.code() == kDLFloat && dtype.bits() == 32; }

Expr ExpandAs32(const Function& function, const Expr& argument, const MathOptions& options) {
  Builder b(argument->dtype, options);
  const Expr x = b.Name(argument);
  const Expr value = function.expand(b, x);
  return b.Close(value);
}

// Names are defined once, so two uses need two expansions.
class Expander final : public ir::Mutator {
 public:
  explicit Expander(const MathOptions& options) : Mutator(Memo::kPerRoot), options_(options) {}

 protected:
  ir::NodeRef Leave(const ir::NodeRef&, ir::NodeRef after) override {
    const auto* call = ir::As<ir::Call>(after);
    const Expr value = call == nullptr ? Expr() : ExpandMathCall(*call, options_);
    if (value) KeepApart();
    return value ? ir::NodeRef(value) : after;
  }

 private:
  const MathOptions options_;
};

}  // namespace

const std::vector<std::string>& ExpandedFunctions() {
  static const auto* names = [] {
    auto* list = new std::vector<std::string>();
    for (const Function& function : kFunctions) list->push_back(function.name);
    return list;
  }();
  return *names;
}

Expr ExpandMathCall(const ir::Call& call, const MathOptions& options) {
  const Function* function = Find(call.op);
  if (function == nullptr || call.args.size() != 1) return nullptr;
  const Expr x = call.arg(0);
  return x && IsFloat32(x->dtype) ? ExpandAs32(*function, x, options) : nullptr;
}

ir::Stmt ExpandMath(const ir::Stmt& stmt, const MathOptions& options) {
  return Expander(options).Run(stmt);
}

}  // namespace lathe::lower
