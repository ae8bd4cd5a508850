#include "tests/prove/known_program.h"

#include <algorithm>
#include <cmath>

#include "ir/intrinsic.h"
#include "te/operation.h"
#include "tests/prove/random.h"

namespace lathe::prove {
namespace {

using ir::Expr;
using ir::Int;
using ir::IterVar;
using ir::Tensor;
using te::At;
using te::Compute;
using te::Indices;

class Maker {
 public:
  Maker(uint64_t seed, const std::vector<Extent>& extents) : random_(seed), given_(extents) {}

  TestProgram Make() {
    type_ = random_.Pick({DataType::Float(32), DataType::Float(32), DataType::Float(64),
                          DataType::Int(32), DataType::Int(64)});
    program_.real_inputs = type_.is_float() && random_.Chance(60);
    program_.features = {"known arithmetic"};
    if (program_.real_inputs) program_.features.emplace_back("real inputs");
    switch (random_.Below(7)) {
      case 0:
        Matmul();
        break;
      case 1:
        Convolution();
        break;
      case 2:
        Blur();
        break;
      case 3:
        Centered();
        break;
      case 4:
        Elementary();
        break;
      case 5:
        Transposed();
        break;
      default:
        PrefixSums();
        break;
    }
    PassSizes();
    return std::move(program_);
  }

 private:
  // An extent, and the same as a number that the arithmetic takes from the arrays' shapes.
  Expr Size(bool may_be_symbolic = true) {
    Extent extent{may_be_symbolic && random_.Chance(40),
                  random_.Pick<int64_t>({1, 2, 3, 5, 7, 8, 12, 16, 17})};
    const size_t number = program_.extents.size();
    if (number < given_.size()) extent.value = given_[number].value;
    program_.extents.push_back(extent);
    if (!extent.symbolic) return Int(extent.value);
    if (program_.sizes.empty()) program_.features.emplace_back("symbolic");
    const ir::Var var = ir::MakeSizeVar("n" + std::to_string(program_.sizes.size()));
    program_.sizes.emplace_back(var, extent.value);
    return var;
  }
  Tensor Input(te::Shape shape, const char* name) {
    Tensor tensor = te::Placeholder(std::move(shape), type_, name);
    program_.args.emplace_back(tensor);
    return tensor;
  }
  void Output(const Tensor& tensor) {
    program_.args.emplace_back(tensor);
    program_.outputs.push_back(tensor->op);
  }
  // Adds `times` times the element of `from` to the element of `to`.
  static void Add(Array& to, size_t i, const Array& from, size_t j, long double times = 1,
                  long double magnitude = -1) {
    to.value[i] += times * from.value[j];
    to.magnitude[i] += (magnitude < 0 ? std::fabs(times) : magnitude) * from.magnitude[j];
  }

  // D = A B + bias
  void Matmul() {
    const Expr n = Size(), m = Size(), l = Size();
    const Tensor a = Input({n, l}, "A"), b = Input({l, m}, "B"), bias = Input({m}, "bias");
    const IterVar k = te::ReduceAxis(Int(0), l, "k");
    const Tensor c = Compute(
        {n, m},
        [&](const Indices& i) {
          return te::Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k});
        },
        "C");
    Output(Compute(
        {n, m}, [&](const Indices& i) { return At(c, {i[0], i[1]}) + At(bias, {i[1]}); }, "D"));
    program_.arithmetic = [](std::vector<Array>& t) {
      Array &a = t[0], &b = t[1], &bias = t[2], &d = t[3];
      d.terms = a.shape[1] + 2;
      for (int64_t i = 0; i < d.shape[0]; ++i) {
        for (int64_t j = 0; j < d.shape[1]; ++j) {
          Add(d, d.At({i, j}), bias, bias.At({j}));
          for (int64_t k = 0; k < a.shape[1]; ++k)
            Add(d, d.At({i, j}), a, a.At({i, k}), b.value[b.At({k, j})], b.magnitude[b.At({k, j})]);
        }
      }
    };
  }

  // Zero padding, strides, a 3 x 3 filter.
  void Convolution() {
    const Expr h = Size(), w = Size();
    const int64_t stride = random_.Pick<int64_t>({1, 1, 2});
    const Tensor a = Input({h, w}, "A"), filter = Input({Int(3), Int(3)}, "W");
    const Tensor padded = Compute(
        {h + 2, w + 2},
        [&](const Indices& i) {
          const Expr y = i[0] - 1, x = i[1] - 1;
          return ir::IfThenElse(
              ir::LogicalAnd(ir::LogicalAnd(y >= 0, y < h), ir::LogicalAnd(x >= 0, x < w)),
              At(a, {y, x}), ir::Const(0, type_));
        },
        "P");
    const IterVar r = te::ReduceAxis(Int(0), Int(3), "r"), c = te::ReduceAxis(Int(0), Int(3), "c");
    Output(Compute(
        {ir::FloorDivide(h + (stride - 1), Int(stride)),
         ir::FloorDivide(w + (stride - 1), Int(stride))},
        [&](const Indices& i) {
          return te::Sum(At(padded, {i[0] * stride + r->var, i[1] * stride + c->var}) *
                             At(filter, {r->var, c->var}),
                         {r, c});
        },
        "C"));
    program_.arithmetic = [stride](std::vector<Array>& t) {
      Array &a = t[0], &f = t[1], &out = t[2];
      out.terms = 10;
      for (int64_t y = 0; y < out.shape[0]; ++y) {
        for (int64_t x = 0; x < out.shape[1]; ++x) {
          for (int64_t r = 0; r < 3; ++r) {
            for (int64_t c = 0; c < 3; ++c) {
              const int64_t u = y * stride + r - 1, v = x * stride + c - 1;
              if (u < 0 || u >= a.shape[0] || v < 0 || v >= a.shape[1]) continue;
              Add(out, out.At({y, x}), a, a.At({u, v}), f.value[f.At({r, c})],
                  f.magnitude[f.At({r, c})]);
            }
          }
        }
      }
    };
  }

  // Sums of three neighbours, first along one dimension, then along the other.
  void Blur() {
    const Expr h = Size(), w = Size();
    const Tensor a = Input({h + 2, w + 2}, "A");
    const Tensor across = Compute(
        {h + 2, w},
        [&](const Indices& i) {
          return At(a, {i[0], i[1]}) + At(a, {i[0], i[1] + 1}) + At(a, {i[0], i[1] + 2});
        },
        "X");
    Output(Compute(
        {h, w},
        [&](const Indices& i) {
          return At(across, {i[0], i[1]}) + At(across, {i[0] + 1, i[1]}) +
                 At(across, {i[0] + 2, i[1]});
        },
        "Y"));
    program_.arithmetic = [](std::vector<Array>& t) {
      Array &a = t[0], &out = t[1];
      out.terms = 9;
      for (int64_t y = 0; y < out.shape[0]; ++y) {
        for (int64_t x = 0; x < out.shape[1]; ++x) {
          for (int64_t k = 0; k < 9; ++k) Add(out, out.At({y, x}), a, a.At({y + k / 3, x + k % 3}));
        }
      }
    };
  }

  // The sum of squared distances from a row's maximum.
  void Centered() {
    const Expr n = Size(), m = Size(false);
    const Tensor a = Input({n, m}, "A");
    const IterVar k = te::ReduceAxis(Int(0), m, "k"), l = te::ReduceAxis(Int(0), m, "l");
    const Tensor most =
        Compute({n}, [&](const Indices& i) { return te::Max(At(a, {i[0], k->var}), {k}); }, "M");
    const Tensor apart = Compute(
        {n, m}, [&](const Indices& i) { return At(a, {i[0], i[1]}) - At(most, {i[0]}); }, "D");
    Output(Compute(
        {n},
        [&](const Indices& i) {
          return te::Sum(At(apart, {i[0], l->var}) * At(apart, {i[0], l->var}), {l});
        },
        "S"));
    program_.arithmetic = [](std::vector<Array>& t) {
      Array &a = t[0], &s = t[1];
      s.terms = a.shape[1] + 4;
      for (int64_t i = 0; i < s.shape[0]; ++i) {
        long double most = -1e30L;
        for (int64_t j = 0; j < a.shape[1]; ++j) most = std::max(most, a.value[a.At({i, j})]);
        for (int64_t j = 0; j < a.shape[1]; ++j) {
          const long double d = a.value[a.At({i, j})] - most;
          const long double m = a.magnitude[a.At({i, j})] + std::fabs(most);
          s.value[s.At({i})] += d * d;
          s.magnitude[s.At({i})] += m * m;
        }
      }
    };
  }

  // Elementary functions. They are within 2 units of the last place (lower/math/expansion.h).
  void Elementary() {
    struct Function {
      const char* name;
      long double (*exact)(long double);
    };
    static const std::vector<Function> functions = {
        {"exp", [](long double x) { return std::exp(x); }},
        {"exp2", [](long double x) { return std::exp2(x); }},
        {"tanh", [](long double x) { return std::tanh(x); }},
        {"erf", [](long double x) { return std::erf(x); }},
        {"sigmoid", [](long double x) { return 1 / (1 + std::exp(-x)); }},
        {"log", [](long double x) { return std::log(x * x + 1); }},
        {"log2", [](long double x) { return std::log2(x * x + 1); }},
        {"log10", [](long double x) { return std::log10(x * x + 1); }},
        {"sqrt", [](long double x) { return std::sqrt(x * x + 1); }}};
    if (!type_.is_float()) type_ = DataType::Float(32);
    program_.real_inputs = true;
    const Function function = random_.Pick(functions);
    const bool squared =
        std::string(function.name).starts_with("log") || std::string(function.name) == "sqrt";
    const Expr n = Size(), m = Size();
    const Tensor a = Input({n, m}, "A");
    const Tensor f = Compute(
        {n, m},
        [&](const Indices& i) {
          Expr x = At(a, {i[0], i[1]});
          if (squared) x = x * x + ir::Const(1, type_);
          return ir::CallIntrinsic(function.name, {x});
        },
        "F");
    Output(Compute(
        {n, m}, [&](const Indices& i) { return At(f, {i[0], i[1]}) + At(a, {i[0], i[1]}); }, "E"));
    program_.arithmetic = [exact = function.exact](std::vector<Array>& t) {
      Array &a = t[0], &out = t[1];
      out.terms = 8;
      for (size_t i = 0; i < out.value.size(); ++i) {
        const long double f = exact(a.value[i]);
        out.value[i] = f + a.value[i];
        // The rounding of the argument changes the value, here with a slope of at most 4.
        out.magnitude[i] = std::fabs(f) + 4 * a.magnitude[i] + 4;
      }
    };
  }

  // B[j, i] = A[i, j] - A[i, m - 1 - j]
  void Transposed() {
    const Expr n = Size(), m = Size();
    const Tensor a = Input({n, m}, "A");
    const Tensor twice = Compute(
        {n, m}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * ir::Const(2, type_); }, "T");
    Output(Compute(
        {m, n},
        [&](const Indices& i) { return At(twice, {i[1], i[0]}) - At(twice, {i[1], m - 1 - i[0]}); },
        "B"));
    program_.arithmetic = [](std::vector<Array>& t) {
      Array &a = t[0], &b = t[1];
      b.terms = 3;
      for (int64_t j = 0; j < b.shape[0]; ++j) {
        for (int64_t i = 0; i < b.shape[1]; ++i) {
          Add(b, b.At({j, i}), a, a.At({i, j}), 2);
          Add(b, b.At({j, i}), a, a.At({i, b.shape[0] - 1 - j}), -2);
        }
      }
    };
  }

  // Running sums over dimension 0.
  void PrefixSums() {
    const Expr n = Int(std::max<int64_t>(*ir::AsConstInt(Size(false)), 2)), m = Size();
    const Tensor a = Input({n, m}, "A");
    const Tensor state = te::Placeholder({n, m}, type_, "state");
    const Tensor first =
        Compute({Int(1), m}, [&](const Indices& i) { return At(a, {i[0], i[1]}); }, "first");
    const Tensor next = Compute(
        {n, m}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) + At(a, {i[0], i[1]}); },
        "next");
    Output(te::Scan({first}, {next}, {state}, {a}, "sums")[0]);
    program_.features.emplace_back("scan");
    program_.arithmetic = [](std::vector<Array>& t) {
      Array &a = t[0], &sums = t[1];
      sums.terms = a.shape[0];
      for (int64_t i = 0; i < a.shape[0]; ++i) {
        for (int64_t j = 0; j < a.shape[1]; ++j) {
          if (i > 0) Add(sums, sums.At({i, j}), sums, sums.At({i - 1, j}));
          Add(sums, sums.At({i, j}), a, a.At({i, j}));
        }
      }
    };
  }

  // Passes sizes that are not the extent of any tensor.
  void PassSizes() {
    for (const auto& [var, most] : program_.sizes) {
      bool bound = false;
      for (const ir::NodeRef& arg : program_.args) {
        const Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
        for (const Expr& extent : tensor ? tensor->shape() : te::Shape{})
          bound = bound || extent.same_as(var);
      }
      if (!bound) program_.args.insert(program_.args.begin(), var);
    }
  }

  Random random_;
  const std::vector<Extent>& given_;
  TestProgram program_;
  DataType type_;
};

}  // namespace

TestProgram KnownProgram(uint64_t seed, const std::vector<Extent>& extents) {
  return Maker(seed, extents).Make();
}

}  // namespace lathe::prove
