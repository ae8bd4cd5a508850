#include "tests/prove/random_program.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "te/operation.h"
#include "tests/prove/random.h"

namespace lathe::prove {
namespace {

using ir::Expr;
using ir::Int;
using ir::IterVar;
using ir::Tensor;
using ir::Var;
using te::At;
using te::Indices;
using te::Shape;

constexpr double kUnknown = 1e300;  // a magnitude beyond every limit
constexpr double kInput = 4;

// A dimension: its extent as an expression and the greatest value that it takes.
struct Dim {
  Expr extent;
  int64_t most = 1;
};
using Dims = std::vector<Dim>;

// A scalar expression with the greatest magnitude that it can have.
struct Value {
  Expr expr;
  double bound = 0;
  DataType dtype() const { return expr->dtype; }
};

struct Source {
  Tensor tensor;
  Dims dims;
  double bound = kInput;
};

// The greatest magnitude up to which every integer is exact.
double Limit(DataType t) {
  if (t.is_bool()) return 1;
  if (t.is_bfloat16()) return 256;
  if (t.is_float()) return t.bits() == 16 ? 2048 : t.bits() == 32 ? 16777216.0 : 9007199254740992.0;
  return std::ldexp(1.0, std::min(t.bits() - (t.is_int() ? 1 : 0), 52)) - 1;
}

bool Signed(DataType t) { return t.is_int() || t.is_float(); }

class Generator {
 public:
  Generator(uint64_t seed, const std::vector<Extent>& extents) : random_(seed), given_(extents) {}

  TestProgram Make() {
    big_ = random_.Chance(4);
    wide_index_ = random_.Chance(12);
    const size_t rank = big_ ? 2 : random_.Pick<size_t>({0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4});
    Dims dims;
    for (size_t d = 0; d < rank; ++d) dims.push_back(Choose(rank, d));
    pool_.push_back(NewInput(dims, AnyType()));
    const size_t stages = big_ ? 2 : 1 + random_.Below(4);
    for (size_t i = 0; i < stages; ++i) AddStage();
    return Finish();
  }

 private:
  // -- Shapes.

  Dim Choose(size_t rank, size_t position) {
    Extent extent;
    extent.symbolic = random_.Chance(25);
    if (rank == 1) {
      extent.value = random_.Pick<int64_t>({1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 64, 65, 100});
    } else if (rank == 2) {
      extent.value = random_.Pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 20});
    } else {
      extent.value = random_.Pick<int64_t>({1, 2, 3, 4, 5, 7, 8});
    }
    if (big_) extent.value = position == 0 ? 3 : 4500;
    if (random_.Chance(2)) extent.value = 0;
    return Take(extent);
  }

  // The extent itself, or what was given in its place.
  Dim Take(Extent extent) {
    const size_t number = program_.extents.size();
    if (number < given_.size()) extent.value = given_[number].value;
    program_.extents.push_back(extent);
    if (!extent.symbolic) return {Int(extent.value, index_type()), extent.value};
    Note("symbolic");
    Var var = ir::MakeSizeVar("n" + std::to_string(program_.sizes.size()), index_type());
    program_.sizes.emplace_back(var, extent.value);
    return {var, extent.value};
  }

  Dim NewSmall(std::initializer_list<int64_t> values) {
    return Take({random_.Chance(20), random_.Pick(values)});
  }

  DataType index_type() const { return DataType::Int(wide_index_ ? 64 : 32); }
  Expr Index(int64_t value) const { return Int(value, index_type()); }

  static int64_t Elements(const Dims& dims) {
    int64_t count = 1;
    for (const Dim& dim : dims) count *= dim.most;
    return count;
  }
  static Shape ShapeOf(const Dims& dims) {
    Shape shape;
    for (const Dim& dim : dims) shape.push_back(dim.extent);
    return shape;
  }
  static bool SameDims(const Dims& a, const Dims& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      const int64_t* x = ir::AsConstInt(a[i].extent);
      const int64_t* y = ir::AsConstInt(b[i].extent);
      if (x != nullptr && y != nullptr ? *x != *y : !a[i].extent.same_as(b[i].extent)) return false;
    }
    return true;
  }
  static bool IsConstant(const Dim& dim) { return ir::AsConstInt(dim.extent) != nullptr; }

  // -- Values.

  DataType AnyType() {
    switch (random_.Below(14)) {
      case 0:
        return DataType::Float(64);
      case 1:
        return DataType::Int(8);
      case 2:
        return DataType::Int(16);
      case 3:
      case 4:
        return DataType::Int(32);
      case 5:
        return DataType::Int(64);
      case 6:
        return DataType::UInt(8);
      case 7:
        return DataType::Bool();
      case 8:
        return DataType::Float(16);
      case 9:
        return DataType::BFloat16();
      default:
        return DataType::Float(32);
    }
  }

  Source NewInput(Dims dims, DataType dtype) {
    Tensor tensor = te::Placeholder(ShapeOf(dims), dtype, "A" + std::to_string(inputs_.size()));
    inputs_.push_back(tensor);
    return {tensor, std::move(dims), dtype.is_bool() ? 1 : kInput};
  }

  static Value Clamp(Value v, double bound) {
    if (v.dtype().is_bool() || v.bound <= bound) return v;
    const auto most = static_cast<int64_t>(bound);
    Expr out = ir::MakeMin(v.expr, ir::Const(most, v.dtype()));
    if (Signed(v.dtype())) out = ir::MakeMax(out, ir::Const(-most, v.dtype()));
    return {out, bound};
  }

  // As a value of `dtype`, exactly.
  static Value Convert(Value v, DataType dtype) {
    if (v.dtype() == dtype) return v;
    if (dtype.is_bool()) return {ir::NotEqual(v.expr, ir::Const(int64_t{0}, v.dtype())), 1};
    if (v.dtype().is_bool()) return {ir::MakeCast(dtype, v.expr), 1};
    v = Clamp(v, std::min({Limit(dtype), Limit(v.dtype()), 4096.0}));
    if (!Signed(dtype) && Signed(v.dtype()))
      v.expr = ir::MakeMax(v.expr, ir::Const(int64_t{0}, v.dtype()));
    return {ir::MakeCast(dtype, v.expr), v.bound};
  }

  // `v` small enough that adding and multiplying such values stays exact.
  static Value Tame(const Value& v) {
    return Clamp(v, std::min(64.0, std::floor(std::sqrt(Limit(v.dtype()) / 2))));
  }

  Value Read(const Source& source, std::vector<Expr> indices) {
    return {At(source.tensor, std::move(indices)), source.bound};
  }

  Value Unary(Value v) {
    const DataType t = v.dtype();
    if (t.is_bool()) return random_.Chance(50) ? Value{ir::LogicalNot(v.expr), 1} : v;
    v = Tame(v);
    switch (random_.Below(7)) {
      case 0:
        return {v.expr + ir::Const(int64_t{1}, t), v.bound + 1};
      case 1:
        return {v.expr * ir::Const(int64_t{2}, t), v.bound * 2};
      case 2:
        return Signed(t) ? Value{ir::Const(int64_t{0}, t) - v.expr, v.bound} : v;
      case 3:
        return {ir::MakeSelect(v.expr > ir::Const(int64_t{1}, t), v.expr, ir::Const(int64_t{1}, t)),
                std::max(v.bound, 1.0)};
      case 4:
        if (!t.is_integral()) return v;
        return {ir::FloorDivide(v.expr, ir::Const(int64_t{3}, t)), v.bound};
      case 5:
        if (!t.is_integral()) return v;
        return {ir::FloorModulo(v.expr, ir::Const(int64_t{3}, t)), 3};
      default:
        return {v.expr * v.expr, v.bound * v.bound};
    }
  }

  Value Binary(Value a, Value b) {
    const DataType t = a.dtype();
    b = Convert(b, t);
    if (t.is_bool()) {
      switch (random_.Below(3)) {
        case 0:
          return {ir::LogicalAnd(a.expr, b.expr), 1};
        case 1:
          return {ir::LogicalOr(a.expr, b.expr), 1};
        default:
          return {ir::NotEqual(a.expr, b.expr), 1};
      }
    }
    a = Tame(a);
    b = Tame(b);
    const double bound = std::max(a.bound, b.bound);
    switch (random_.Below(7)) {
      case 0:
        return {a.expr + b.expr, a.bound + b.bound};
      case 1:
        return Signed(t) ? Value{a.expr - b.expr, a.bound + b.bound}
                         : Value{a.expr + b.expr, a.bound + b.bound};
      case 2:
        return {a.expr * b.expr, a.bound * b.bound};
      case 3:
        return {ir::MakeMin(a.expr, b.expr), bound};
      case 4:
        return {ir::MakeMax(a.expr, b.expr), bound};
      case 5:
        return {ir::MakeSelect(a.expr < b.expr, b.expr, a.expr), bound};
      default:
        return {ir::IfThenElse(ir::NotEqual(a.expr, b.expr), a.expr, ir::Const(int64_t{2}, t)),
                std::max(bound, 2.0)};
    }
  }

  // Something else to combine with at `indices` (of `dims`): a tensor that is there, a broadcast
  // input, an index, a constant.
  Value Operand(const Dims& dims, const Indices& indices, DataType like) {
    std::vector<Expr> all(indices.begin(), indices.end());
    std::vector<const Source*> same;
    for (const Source& source : pool_) {
      if (SameDims(source.dims, dims)) same.push_back(&source);
    }
    if (!same.empty() && random_.Chance(45)) return Read(*random_.Pick(same), all);
    if (!dims.empty() && random_.Chance(15)) {
      const size_t d = random_.Below(dims.size());
      return Clamp(Convert({indices[d], static_cast<double>(dims[d].most)}, like), 4);
    }
    if (random_.Chance(15))
      return {ir::Const(int64_t{2}, like.is_bool() ? DataType::Int(32) : like), 2};
    // A broadcast: some dimensions are missing, some have extent 1.
    Dims part;
    std::vector<Expr> at;
    bool broadcast = false;
    for (size_t d = 0; d < dims.size(); ++d) {
      const size_t kind = random_.Below(4);
      if (kind == 0) {
        broadcast = true;
        continue;
      }
      if (kind == 1) {
        broadcast = true;
        part.push_back({Index(1), 1});
        at.push_back(Index(0));
      } else {
        part.push_back(dims[d]);
        at.push_back(indices[d]);
      }
    }
    if (broadcast) Note("broadcast");
    extra_.push_back(NewInput(part, random_.Chance(70) ? like : AnyType()));
    return Read(extra_.back(), at);
  }

  // -- Stages. Each reads one tensor of the pool (mostly the newest) and adds its own to it.

  void Note(const char* feature) {
    if (std::find(program_.features.begin(), program_.features.end(), feature) ==
        program_.features.end())
      program_.features.emplace_back(feature);
  }
  std::string NextName() { return "T" + std::to_string(stages_++); }

  void AddStage() {
    const size_t number = random_.Chance(75) ? pool_.size() - 1 : random_.Below(pool_.size());
    const Source from = pool_[number];
    bool done = false;
    for (int attempt = 0; attempt < 8 && !done; ++attempt) {
      done = true;
      switch (random_.Below(13)) {
        case 0:
        case 1:
        case 2:
          Elementwise(from);
          break;
        case 3:
          done = Stencil(from);
          break;
        case 4:
          done = Halo(from);
          break;
        case 5:
          done = Permuted(from);
          break;
        case 6:
        case 7:
          done = Reduction(from);
          break;
        case 8:
          done = ArgReduction(from);
          break;
        case 9:
          done = Matmul(from);
          break;
        case 10:
          done = Convolution(from);
          break;
        case 11:
          done = Reshaped(from);
          break;
        default:
          done = random_.Chance(50) ? Gather(from) : Pair(from);
          break;
      }
    }
    if (!done) Elementwise(from);
    for (Source& source : extra_) pool_.insert(pool_.begin(), source);
    extra_.clear();
  }

  void Push(Tensor tensor, Dims dims, double bound) {
    pool_.push_back({std::move(tensor), std::move(dims), bound});
  }

  // Computes `body` over `dims`; the bound is that of the value it returns.
  void Map(const Dims& dims, const std::function<Value(const Indices&)>& body) {
    double bound = 0;
    Tensor out = te::Compute(
        ShapeOf(dims),
        [&](const Indices& i) {
          Value value = body(i);
          bound = value.bound;
          return value.expr;
        },
        NextName());
    Push(std::move(out), dims, bound);
  }

  Value Finishing(const Dims& dims, const Indices& i, Value value) {
    if (random_.Chance(50)) value = Unary(value);
    if (random_.Chance(70)) value = Binary(value, Operand(dims, i, value.dtype()));
    if (random_.Chance(15)) value = Convert(value, AnyType());
    return value;
  }

  void Elementwise(const Source& from) {
    Note("elementwise");
    Map(from.dims, [&](const Indices& i) {
      return Finishing(from.dims, i, Read(from, {i.begin(), i.end()}));
    });
  }

  // Neighbours, zero outside.
  bool Stencil(const Source& from) {
    if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
    Note("stencil");
    const size_t d = random_.Below(from.dims.size());
    const bool two = random_.Chance(40);
    Map(from.dims, [&](const Indices& i) {
      Value sum;
      for (int64_t offset : {int64_t{-1}, two ? int64_t{2} : int64_t{1}}) {
        std::vector<Expr> at(i.begin(), i.end());
        at[d] = i[d] + offset;
        const Expr inside = ir::LogicalAnd(at[d] >= 0, at[d] < from.dims[d].extent);
        Value value = Tame(Read(from, at));
        value.expr = ir::IfThenElse(inside, value.expr, ir::Const(int64_t{0}, value.dtype()));
        sum = sum.expr ? Value{sum.expr + value.expr, sum.bound + value.bound} : value;
      }
      return sum;
    });
    return true;
  }

  // A padded copy, then a stencil that stays within it.
  bool Halo(const Source& from) {
    if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
    Note("halo");
    const size_t d = random_.Below(from.dims.size());
    Dims padded = from.dims;
    padded[d] = {from.dims[d].extent + 2, from.dims[d].most + 2};
    Map(padded, [&](const Indices& i) {
      std::vector<Expr> at(i.begin(), i.end());
      at[d] = i[d] - 1;
      const Expr inside = ir::LogicalAnd(at[d] >= 0, at[d] < from.dims[d].extent);
      Value value = Tame(Read(from, at));
      if (random_.Chance(50))
        return Value{ir::IfThenElse(inside, value.expr, ir::Const(int64_t{1}, value.dtype())),
                     value.bound};
      return Value{ir::MakeSelect(inside, value.expr, ir::Const(int64_t{1}, value.dtype())),
                   value.bound};
    });
    const Source middle = pool_.back();
    Map(from.dims, [&](const Indices& i) {
      Value sum;
      for (int64_t offset = 0; offset < 3; ++offset) {
        if (offset == 1 && random_.Chance(30)) continue;
        std::vector<Expr> at(i.begin(), i.end());
        at[d] = i[d] + offset;
        Value value =
            Clamp(Read(middle, at), std::min(64.0, std::floor(Limit(middle.tensor->dtype()) / 4)));
        sum = sum.expr ? Value{sum.expr + value.expr, sum.bound + value.bound} : value;
      }
      return sum;
    });
    return true;
  }

  // Transposed or reversed.
  bool Permuted(const Source& from) {
    if (from.dims.empty()) return false;
    Note("permuted");
    std::vector<size_t> order;
    for (size_t d = 0; d < from.dims.size(); ++d) order.push_back(d);
    random_.Shuffle(order);
    const size_t reversed = random_.Below(from.dims.size() * 2);
    Dims dims;
    for (size_t d : order) dims.push_back(from.dims[d]);
    Map(dims, [&](const Indices& i) {
      std::vector<Expr> at(order.size());
      for (size_t d = 0; d < order.size(); ++d) at[order[d]] = i[d];
      if (reversed < at.size()) at[reversed] = from.dims[reversed].extent - 1 - at[reversed];
      return Finishing(dims, i, Read(from, at));
    });
    return true;
  }

  // The last two dimensions as one, or the first one cut in two rows.
  bool Reshaped(const Source& from) {
    if (from.dims.size() < 2 || !IsConstant(from.dims.back()) || from.dims.back().most == 0)
      return false;
    Note("reshaped");
    const int64_t inner = from.dims.back().most;
    Dims dims(from.dims.begin(), from.dims.end() - 2);
    const Dim outer = from.dims[from.dims.size() - 2];
    dims.push_back({outer.extent * inner, outer.most * inner});
    Map(dims, [&](const Indices& i) {
      std::vector<Expr> at(i.begin(), i.end() - 1);
      at.push_back(ir::FloorDivide(i.back(), inner));
      at.push_back(ir::FloorModulo(i.back(), inner));
      return Finishing(dims, i, Read(from, at));
    });
    return true;
  }

  // Rows by number.
  bool Gather(const Source& from) {
    if (from.dims.empty() || from.dims[0].most == 0) return false;
    Note("gather");
    const size_t d = random_.Below(from.dims.size());
    const Source numbers = NewInput({from.dims[d]}, DataType::Int(32));
    Map(from.dims, [&](const Indices& i) {
      std::vector<Expr> at(i.begin(), i.end());
      Expr number = ir::MakeCast(index_type(), At(numbers.tensor, {i[d]}));
      at[d] = ir::MakeMax(ir::MakeMin(number, from.dims[d].extent - 1), Index(0));
      return Read(from, at);
    });
    return true;
  }

  // Two outputs of one operation.
  bool Pair(const Source& from) {
    Note("two outputs");
    double first = 0, second = 0;
    std::vector<Tensor> out = te::ComputeTuple(
        ShapeOf(from.dims),
        [&](const Indices& i) {
          const Value value = Read(from, {i.begin(), i.end()});
          const Value a = Unary(value);
          const Value b = Convert(Binary(value, a), AnyType());
          first = a.bound;
          second = b.bound;
          return std::vector<Expr>{a.expr, b.expr};
        },
        NextName());
    Push(out[0], from.dims, first);
    Push(out[1], from.dims, second);
    return true;
  }

  // Which dimensions to reduce, and the axes for it: `at` reads the tensor.
  struct Axes {
    std::vector<IterVar> axes;
    std::vector<size_t> kept;  // the other dimensions
    std::vector<Expr> at;      // null where kept
    Dims dims;                 // of the result
    int64_t count = 1;
  };
  Axes Choose(const Source& from) {
    Axes out;
    out.at.resize(from.dims.size());
    std::vector<size_t> order;
    for (size_t d = 0; d < from.dims.size(); ++d) {
      if (random_.Chance(45) || (d + 1 == from.dims.size() && order.empty()))
        order.push_back(d);
      else
        out.kept.push_back(d);
    }
    for (size_t d : out.kept) out.dims.push_back(from.dims[d]);
    random_.Shuffle(order);
    for (size_t d : order) {
      const int64_t min = random_.Chance(15) ? 3 : 0;
      IterVar axis = te::ReduceAxis(Index(min), from.dims[d].extent, "r" + std::to_string(d));
      out.axes.push_back(axis);
      out.at[d] = axis->var - min;
      out.count *= from.dims[d].most;
    }
    return out;
  }
  static std::vector<Expr> Fill(const Axes& axes, const Indices& i) {
    std::vector<Expr> at = axes.at;
    for (size_t k = 0; k < axes.kept.size(); ++k) at[axes.kept[k]] = i[k];
    return at;
  }
  // A condition over the axes, or none.
  Expr Where(const Axes& axes) {
    if (!random_.Chance(30)) return {};
    Note("where");
    const Expr at = random_.Pick(axes.axes)->var;
    return random_.Chance(50) ? ir::Equal(ir::FloorModulo(at, 2), Index(0)) : at >= 1;
  }

  // `value` such that `count` of them add up exactly.
  Value Addable(Value value, int64_t count) {
    if (value.dtype().is_bool() || Limit(value.dtype()) < 2.0 * static_cast<double>(count)) {
      value = Convert(Tame(value), Signed(value.dtype()) && value.dtype().is_float()
                                       ? DataType::Float(32)
                                       : DataType::Int(32));
    }
    return Clamp(
        value,
        std::max(1.0,
                 std::min(64.0, std::floor(Limit(value.dtype()) /
                                           static_cast<double>(std::max<int64_t>(count, 1))))));
  }

  bool Reduction(const Source& from) {
    if (from.dims.empty()) return false;
    Note("reduction");
    const Axes axes = Choose(from);
    const size_t kind = random_.Below(6);
    const Expr where = Where(axes);
    const bool with_init = random_.Chance(15);
    Map(axes.dims, [&](const Indices& i) {
      Value value = Read(from, Fill(axes, i));
      if (value.dtype().is_bool()) {
        if (kind < 2) return Value{te::All(value.expr, axes.axes, where), 1};
        if (kind < 4) return Value{te::Any(value.expr, axes.axes, where), 1};
      }
      if (kind == 0) {
        if (value.dtype().is_bool()) value = Convert(value, DataType::Int(32));
        const bool small = std::pow(2.0, static_cast<double>(axes.count)) <= Limit(value.dtype());
        value = Clamp(value, small ? 2 : 1);
        return Value{te::Prod(value.expr, axes.axes, where),
                     small ? std::pow(2.0, static_cast<double>(axes.count)) : 1};
      }
      if (kind == 1 || kind == 2) {
        if (value.dtype().is_bool()) value = Convert(value, DataType::Int(32));
        const Expr init = with_init ? ir::Const(int64_t{1}, value.dtype()) : Expr();
        // Of no elements the result is the type's end.
        return kind == 1 ? Value{te::Min(value.expr, axes.axes, where, init), kUnknown}
                         : Value{te::Max(value.expr, axes.axes, where, init), kUnknown};
      }
      value = Addable(value, axes.count + 1);
      const Expr init = with_init ? ir::Const(int64_t{1}, value.dtype()) : Expr();
      return Value{te::Sum(value.expr, axes.axes, where, init),
                   value.bound * static_cast<double>(axes.count) + 1};
    });
    return true;
  }

  bool ArgReduction(const Source& from) {
    if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
    Note("argmax");
    const Axes axes = Choose(from);
    const Expr where = Where(axes);
    const bool least = random_.Chance(50);
    std::vector<Tensor> out = te::ComputeTuple(
        ShapeOf(axes.dims),
        [&](const Indices& i) {
          Expr number = Index(0);
          for (const IterVar& axis : axes.axes) number = number * 32 + axis->var;
          const Expr value = Read(from, Fill(axes, i)).expr;
          return least ? te::ArgMin(number, value, axes.axes, where)
                       : te::ArgMax(number, value, axes.axes, where);
        },
        NextName());
    Push(out[0], axes.dims, kUnknown);
    Push(out[1], axes.dims, kUnknown);
    return true;
  }

  bool Matmul(const Source& from) {
    if (from.dims.empty() || from.dims.size() > 3 || big_) return false;
    Note("matmul");
    const Dim depth = from.dims.back();
    const Dim width = NewSmall({1, 3, 4, 8, 9, 16, 17});
    const Source weights = NewInput({depth, width}, from.tensor->dtype());
    Dims dims(from.dims.begin(), from.dims.end() - 1);
    dims.push_back(width);
    const IterVar k = te::ReduceAxis(Index(0), depth.extent, "k");
    Map(dims, [&](const Indices& i) {
      std::vector<Expr> at(i.begin(), i.end() - 1);
      at.push_back(k->var);
      const Value a = Addable(Read(from, at), 4 * depth.most);
      const Value b = Clamp(Convert(Read(weights, {k->var, i.back()}), a.dtype()), 4);
      const Value left = Clamp(
          a,
          std::max(1.0, std::floor(Limit(a.dtype()) /
                                   (4.0 * static_cast<double>(std::max<int64_t>(depth.most, 1))))));
      return Value{te::Sum(left.expr * b.expr, {k}),
                   left.bound * b.bound * static_cast<double>(depth.most)};
    });
    return true;
  }

  // A filter over a new, larger input along one dimension, zero-padded over the tensor itself.
  bool Convolution(const Source& from) {
    if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
    Note("convolution");
    const size_t d = random_.Below(from.dims.size());
    const Dim width = NewSmall({1, 2, 3, 5});
    const Source filter = NewInput({width}, from.tensor->dtype());
    const IterVar k = te::ReduceAxis(Index(0), width.extent, "k");
    const int64_t stride = random_.Pick<int64_t>({1, 1, 2});
    Dims dims = from.dims;
    if (stride == 2)
      dims[d] = {ir::FloorDivide(from.dims[d].extent + 1, 2), (from.dims[d].most + 1) / 2};
    Map(dims, [&](const Indices& i) {
      std::vector<Expr> at(i.begin(), i.end());
      at[d] = i[d] * stride + k->var - 1;
      const Expr inside = ir::LogicalAnd(at[d] >= 0, at[d] < from.dims[d].extent);
      Value value = Read(from, at);
      value.expr = ir::IfThenElse(inside, value.expr, ir::Const(int64_t{0}, value.dtype()));
      value = Addable(value, 4 * width.most);
      const Value weight = Clamp(Convert(Read(filter, {k->var}), value.dtype()), 4);
      return Value{te::Sum(value.expr * weight.expr, {k}),
                   value.bound * weight.bound * static_cast<double>(width.most)};
    });
    return true;
  }

  // -- The whole.

  TestProgram Finish() {
    std::vector<Tensor> computed;
    for (const Source& source : pool_) {
      if (source.tensor->op->node_kind() != ir::NodeKind::kPlaceholderOp)
        computed.push_back(source.tensor);
    }
    std::vector<Tensor> outputs;
    std::vector<const ir::Node*> wanted;
    for (const Tensor& tensor : computed) {
      bool read = false;
      for (const Tensor& other : computed) {
        for (const Tensor& input : ir::InputsOf(*other->op))
          read = read || input->op.same_as(tensor->op);
      }
      if (!read || random_.Chance(12)) wanted.push_back(tensor->op.get());
    }
    for (const Tensor& tensor : computed) {
      if (std::find(wanted.begin(), wanted.end(), tensor->op.get()) == wanted.end()) continue;
      outputs.push_back(tensor);
      if (tensor->value_index == 0) program_.outputs.push_back(tensor->op);
    }
    // Only inputs that something reads are arguments.
    std::vector<const ir::Node*> read;
    for (const Tensor& tensor : computed) {
      for (const Tensor& input : ir::InputsOf(*tensor->op)) read.push_back(input->op.get());
    }
    // Sizes that are no tensor's extent have to be passed; others may be.
    std::vector<const ir::Node*> bound;
    auto bind = [&](const Tensor& tensor) {
      for (const Expr& extent : tensor->shape()) bound.push_back(extent.get());
    };
    for (const Tensor& input : inputs_) {
      if (std::find(read.begin(), read.end(), input->op.get()) != read.end()) bind(input);
    }
    for (const Tensor& output : outputs) bind(output);
    const bool pass_first = random_.Chance(20);
    for (size_t i = 0; i < program_.sizes.size(); ++i) {
      const Var& var = program_.sizes[i].first;
      if ((i == 0 && pass_first) || std::find(bound.begin(), bound.end(), var.get()) == bound.end())
        program_.args.push_back(var);
    }
    for (const Tensor& input : inputs_) {
      if (std::find(read.begin(), read.end(), input->op.get()) != read.end())
        program_.args.push_back(input);
    }
    for (const Tensor& output : outputs) program_.args.push_back(output);
    if (outputs.size() > 1) Note("several outputs");
    if (outputs[0]->ndim() == 0) Note("rank 0");
    return std::move(program_);
  }

  Random random_;
  const std::vector<Extent>& given_;
  TestProgram program_;
  std::vector<Source> pool_, extra_;
  std::vector<Tensor> inputs_;
  int stages_ = 0;
  bool big_ = false, wide_index_ = false;
};

}  // namespace

TestProgram RandomProgram(uint64_t seed, const std::vector<Extent>& extents) {
  return Generator(seed, extents).Make();
}

}  // namespace lathe::prove
