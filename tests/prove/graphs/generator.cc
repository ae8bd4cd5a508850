#include "tests/prove/graphs/generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arith/analyzer.h"
#include "base/blob.h"
#include "base/error.h"
#include "base/float_formats.h"
#include "base/poll.h"
#include "graph/sizes.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::prove::graphs {

using graph::BoolAttr;
using graph::FloatAttr;
using graph::IntAttr;
using graph::IntsAttr;
using graph::ShapeAttr;
using graph::StringAttr;
using ir::As;

namespace {

constexpr int64_t kMostElements = 4096;  // of one value: interpreting takes time
constexpr int kMostInputs = 6;

// An expression over sizes with values for them; null if it stays an expression.
std::optional<int64_t> ValueAt(const Expr& expr, const std::vector<ir::Var>& vars,
                               const std::vector<int64_t>& values) {
  ir::VarMap map;
  for (size_t i = 0; i < vars.size(); ++i) map.emplace(vars[i], Int64(values[i]));
  arith::Analyzer analyzer;
  const Expr value = analyzer.Simplify(ir::Substitute(expr, map));
  const int64_t* number = ir::AsConstInt(value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

}  // namespace

bool IsStatic(const Shape& shape) { return std::ranges::all_of(shape, IsNumber); }

int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const Expr& extent : shape) count *= Number(extent);
  return count;
}

std::vector<std::vector<int64_t>> SizeSets(size_t count) {
  if (count == 0) return {{}};
  std::vector<std::vector<int64_t>> sets;
  for (const int64_t all : {5, 1, 8, 4, 3, 2, 6, 0}) sets.emplace_back(count, all);
  if (count > 1) {
    for (const auto& [first, others] : {std::pair(3, 7), std::pair(6, 2), std::pair(0, 4)}) {
      sets.emplace_back(count, others);
      sets.back()[0] = first;
    }
  }
  return sets;
}

Generator::Generator(uint64_t seed, const RandomGraphOptions& options)
    : options_(options), random_(seed), b_("main") {
  const int sizes = Chance(60) ? Chance(30) ? 2 : 1 : 0;
  for (int i = 0; i < sizes; ++i) {
    sizes_.push_back(b_.Size(i == 0 ? "n" : "m"));
    size_vars_.push_back(ir::RefAs<ir::VarNode>(sizes_.back()));
  }
  legal_ = SizeSets(sizes_.size());
}

Expr Generator::RandomExtent() {
  if (!sizes_.empty() && Chance(30)) return random_.Pick(sizes_);
  if (Chance(2)) return Int64(0);
  return Int64(OneOf({1, 1, 2, 3, 3, 4, 5, 7, 8, 9}));
}

Shape Generator::RandomShape(int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(RandomExtent());
  return shape;
}

const Value& Generator::Any() {
  const size_t last = pool_.size() - 1;
  const size_t at = Chance(60) ? last - random_.Below(std::min<size_t>(3, pool_.size()))
                               : random_.Below(pool_.size());
  return pool_[at];
}

std::optional<Value> Generator::AnyOf(const std::function<bool(const Value&)>& fits) {
  std::vector<size_t> found;
  for (size_t i = 0; i < pool_.size(); ++i) {
    if (fits(pool_[i])) found.push_back(i);
  }
  if (found.empty()) return std::nullopt;
  return pool_[Chance(60) ? found.back() : random_.Pick(found)];
}

GraphVar Generator::Read(const GraphVar& var) {
  read_.insert(var.get());
  return var;
}

void Generator::Keep(const GraphVar& var, Range range) {
  if (As<ir::TensorType>(var->type) != nullptr) pool_.push_back({var, range});
}

GraphVar Generator::Input(DataType dtype, const Shape& shape) {
  const GraphVar var = b_.Input("x" + std::to_string(inputs_++), dtype, shape);
  // Those of RandomInput (values.h).
  const Range range = dtype.is_float()  ? Range{-1, 1}
                      : dtype.is_bool() ? Range{0, 1}
                      : dtype.is_uint() ? Range{0, 7}
                                        : Range{-7, 7};
  pool_.push_back({var, range});
  return var;
}

GraphVar Generator::Constant(DataType dtype, const Shape& shape, Range range) {
  const auto bytes = static_cast<size_t>(dtype.bytes());
  const auto count = static_cast<size_t>(CountOf(shape));
  std::string data(count * bytes, '\0');
  for (size_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(random_.Below(1 << 20)) / (1 << 20);
    uint64_t bits = 0;
    if (dtype.is_float()) {
      bits = EncodeFloat(range.low + unit * (range.high - range.low), dtype);
    } else {
      const double value = std::floor(range.low + unit * (range.high - range.low + 0.999));
      bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    }
    std::memcpy(data.data() + i * bytes, &bits, bytes);
  }
  std::vector<int64_t> extents;
  for (const Expr& extent : shape) extents.push_back(Number(extent));
  return b_.Constant("c" + std::to_string(constants_++), dtype, extents, Blob::Copy(data));
}

bool Generator::IsSmall(const ir::NodeRef& type) {
  std::vector<const ir::Node*> work{type.get()};
  std::vector<std::vector<int64_t>> legal = legal_;
  while (!work.empty()) {
    const ir::Node* node = work.back();
    work.pop_back();
    if (const auto* tuple = As<ir::TupleType>(node)) {
      for (const ir::NodeRef& field : tuple->fields) work.push_back(field.get());
      continue;
    }
    const auto* tensor = As<ir::TensorType>(node);
    if (tensor == nullptr || tensor->shape.size() > 6) return false;
    std::erase_if(legal, [&](const std::vector<int64_t>& values) {
      int64_t count = 1;
      for (const Expr& extent : tensor->shape) {
        const std::optional<int64_t> value = ValueAt(extent, size_vars_, values);
        // An image that is smaller than its window has no result.
        if (!value || *value < 0) return true;
        count *= *value;
      }
      return count > kMostElements;
    });
  }
  if (legal.size() < std::min<size_t>(2, SizeSets(sizes_.size()).size())) return false;
  legal_ = std::move(legal);
  return true;
}

bool Generator::TakeAssumptions(const std::vector<graph::SizeAssumption>& assumptions) {
  if (assumptions.empty()) return true;
  std::vector<std::vector<int64_t>> legal;
  for (const std::vector<int64_t>& values : legal_) {
    const bool holds = std::ranges::all_of(assumptions, [&](const graph::SizeAssumption& one) {
      const auto a = ValueAt(one.a, size_vars_, values), b = ValueAt(one.b, size_vars_, values);
      if (!a || !b) return false;
      return one.kind == graph::SizeAssumption::Kind::kEqual ? *a == *b : *a <= *b;
    });
    if (holds) legal.push_back(values);
  }
  // Two sets are enough to see whether a graph works with several sizes.
  if (legal.size() < std::min<size_t>(2, SizeSets(sizes_.size()).size())) return false;
  legal_ = std::move(legal);
  ++features_["size condition"];
  return true;
}

GraphVar Generator::Try(const std::string& op, const std::vector<GraphVar>& args, ir::Dict attrs) {
  std::vector<ir::NodeRef> types;
  std::vector<std::optional<std::vector<Expr>>> values;
  for (const GraphVar& arg : args) {
    types.push_back(arg->type);
    const std::vector<Expr>* known = b_.ValueOf(arg);
    values.emplace_back(known == nullptr ? std::nullopt : std::optional(*known));
  }
  try {
    const graph::TypeResult result =
        graph::TypeOfCall(graph::GetOp(op), std::move(types), attrs, std::move(values));
    if (!result.sizes.empty() || !IsSmall(result.type)) return nullptr;
    if (!TakeAssumptions(result.assumptions)) return nullptr;
    return Call(op, args, std::move(attrs));
  } catch (const Interruption&) {
    throw;
  } catch (const Error&) {
    return nullptr;
  }
}

GraphVar Generator::Call(const std::string& op, const std::vector<GraphVar>& args, ir::Dict attrs) {
  ++features_[op];
  ++operators_;
  for (const GraphVar& arg : args) Read(arg);
  return b_.Call(op, args, std::move(attrs));
}

GraphVar Generator::ScalarOf(const GraphVar& x) {
  GraphVar y = x;
  if (DTypeOf(y) != DataType::Float(32)) {
    y = Call("cast", {y}, {{"dtype", StringAttr("float32")}});
  }
  if (!ShapeOf(y).empty()) y = Call("max", {y});
  return Call("clip", {y}, {{"a_min", FloatAttr(-2)}, {"a_max", FloatAttr(2)}});
}

GraphVar Generator::Into(const Value& value, Range range) {
  if (value.range.IsWithin(range) || DTypeOf(value.var).is_bool()) return value.var;
  if (DTypeOf(value.var).is_float() && range.low <= -1 && range.high >= 1 && Chance(50)) {
    return Call("tanh", {value.var});
  }
  return Call("clip", {value.var},
              {{"a_min", FloatAttr(range.low)}, {"a_max", FloatAttr(range.high)}});
}

GraphVar Generator::Adapt(const Value& value, DataType dtype, const Shape& shape) {
  GraphVar var = value.var;
  if (DTypeOf(var) != dtype) {
    // Numbers that the other type may not have are cut off.
    if (!DTypeOf(var).is_bool() && !dtype.is_bool()) {
      var = Into(value, {dtype.is_uint() ? 0.0 : -7.0, 7});
    }
    // What becomes of NaN as an integer is not defined.
    if (DTypeOf(var).is_float() && !dtype.is_float()) {
      const GraphVar zero = b_.Scalar(0, DTypeOf(var));
      var = Call("where", {Call("isnan", {var}), zero, var});
    }
    var = Call("cast", {var}, {{"dtype", StringAttr(dtype.ToString())}});
  }
  const Shape from = ShapeOf(var);
  if (IsStatic(from) && IsStatic(shape) && CountOf(from) == CountOf(shape) &&
      from.size() + shape.size() > 0) {
    return Try("reshape", {var}, {{"newshape", ShapeAttr(shape)}});
  }
  if (from.size() == shape.size() && IsStatic(from) && IsStatic(shape) && CountOf(from) > 0) {
    std::vector<int64_t> begin, end;
    bool fits = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t room = Number(from[d]) - Number(shape[d]);
      fits = fits && room >= 0;
      begin.push_back(room > 0 ? Between(0, static_cast<int>(room)) : 0);
      end.push_back(begin.back() + Number(shape[d]));
    }
    if (fits) {
      return Try("strided_slice", {var}, {{"begin", IntsAttr(begin)}, {"end", IntsAttr(end)}});
    }
  }
  if (from.size() <= shape.size()) {
    if (GraphVar wide = Try("broadcast_to", {var}, {{"shape", ShapeAttr(shape)}})) {
      if (graph::SameType(wide->type, ir::MakeTensorType(dtype, shape))) return wide;
    }
  }
  if (!IsStatic(shape) || !dtype.is_float()) return nullptr;
  GraphVar scalar = ScalarOf(var);
  if (dtype != DataType::Float(32)) {
    scalar = Call("cast", {scalar}, {{"dtype", StringAttr(dtype.ToString())}});
  }
  return Call("add", {Constant(dtype, shape), scalar});
}

GraphVar Generator::Provide(DataType dtype, const Shape& shape, Range range) {
  const ir::NodeRef type = ir::MakeTensorType(dtype, shape);
  const auto fits = [&](const Value& value) { return graph::SameType(value.var->type, type); };
  const bool integers = dtype.is_int() || dtype.is_uint();
  const bool wide = range.low <= -2 && range.high >= 2;
  if (Chance(75)) {
    if (const auto found = AnyOf(fits)) {
      // Large floats are harmless mostly; integers may overflow.
      const bool as_it_is = wide && !integers && (found->range.high < 1e3 || Chance(30));
      return as_it_is ? found->var : Into(*found, range);
    }
  }
  if (!pool_.empty() && Chance(integers ? 30 : 60)) {
    const Value from = Any();
    if (const GraphVar made = Adapt(from, dtype, shape)) return Into({made, {}}, range);
  }
  if (IsStatic(shape) && Chance(integers ? 80 : 50)) return Constant(dtype, shape, range);
  if (inputs_ < kMostInputs) return Into({Input(dtype, shape), pool_.back().range}, range);
  if (IsStatic(shape)) return Constant(dtype, shape, range);
  const GraphVar one = Constant(dtype, {}, range);
  return Call("broadcast_to", {one}, {{"shape", ShapeAttr(shape)}});
}

void Generator::Start() {
  images_ = Chance(35);
  const int inputs = Between(1, 3);
  for (int i = 0; i < inputs; ++i) {
    Shape shape;
    if (images_ && i == 0) {
      const Expr batch = sizes_.empty() ? Int64(Between(1, 2)) : sizes_[0];
      shape = {batch, Int64(OneOf({1, 3, 4, 8, 16, 5, 12})), Int64(Between(1, 7)),
               Int64(Between(1, 7))};
    } else {
      shape = RandomShape(Between(0, 4));
    }
    // Every size is an extent of an input.
    if (i == 0 && sizes_.size() > (images_ ? 1 : 0)) {
      for (size_t s = images_ ? 1 : 0; s < sizes_.size(); ++s) {
        while (shape.size() < sizes_.size()) shape.push_back(RandomExtent());
        shape[images_ ? 2 + s % 2 : s] = sizes_[s];
      }
    }
    const DataType other = OneOf({DataType::Float(32), DataType::Int(32), DataType::Int(8),
                                  DataType::Float(16), DataType::Int(64), DataType::Bool()});
    const DataType dtype = i == 0 || Chance(75) ? DataType::Float(32) : other;
    if (!IsSmall(ir::MakeTensorType(dtype, shape))) shape.resize(std::min<size_t>(shape.size(), 2));
    Input(dtype, shape);
  }
}

GraphVar Generator::Results() {
  std::vector<GraphVar> results;
  for (const Value& value : pool_) {
    // Sometimes what others read is a result, too.
    if (!read_.contains(value.var.get()) || Chance(3)) results.push_back(value.var);
  }
  if (results.empty()) results.push_back(pool_.back().var);
  if (Chance(5)) results.push_back(random_.Pick(results));
  if (results.size() == 1 && Chance(80)) return results[0];
  return b_.Tuple(results);
}

RandomGraph Generator::Run() {
  Start();
  const int operators = Chance(70) ? Between(options_.least_operators, options_.most_operators / 3)
                                   : Between(options_.least_operators, options_.most_operators);
  for (int attempts = 0; operators_ < operators && attempts < 10 * operators; ++attempts) Step(0);
  if (!sizes_.empty()) ++features_["symbolic"];
  RandomGraph out;
  out.func = b_.Finish(Results());
  out.features = std::move(features_);
  return out;
}

RandomGraph MakeRandomGraph(uint64_t seed, const RandomGraphOptions& options) {
  return Generator(seed, options).Run();
}

void Generator::Step(int depth) {
  const int what = Between(0, 99);
  if (what < 40) return FromTable();
  if (what < 88 || depth > 1) return Network();
  if (what < 91) return Tuples();
  if (what < 94) return If(depth);
  if (what < 97) return Loop(depth);
  Closure();
}

}  // namespace lathe::prove::graphs
