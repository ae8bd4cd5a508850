// The parts of random graphs: what all kinds of steps share. Internal to random_graph.h.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "graph/builder.h"
#include "tests/prove/graphs/random_graph.h"
#include "tests/prove/random.h"

namespace lathe::prove::graphs {

using graph::Int64;
using ir::Expr;
using ir::GraphVar;
using Shape = std::vector<Expr>;

// Where the elements of a value lie.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool IsWithin(const Range& other) const { return low >= other.low && high <= other.high; }
};

struct Value {
  GraphVar var;
  Range range;
};

inline const ir::TensorType& TypeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type);
}
inline const Shape& ShapeOf(const GraphVar& var) { return TypeOf(var).shape; }
inline DataType DTypeOf(const GraphVar& var) { return TypeOf(var).dtype; }
// The extent if it is a number, else 0.
inline int64_t Number(const Expr& extent) {
  const int64_t* number = ir::AsConstInt(extent);
  return number == nullptr ? 0 : *number;
}
inline bool IsNumber(const Expr& extent) { return ir::AsConstInt(extent) != nullptr; }
bool IsStatic(const Shape& shape);
// Of a static shape.
int64_t CountOf(const Shape& shape);

class Generator {
 public:
  Generator(uint64_t seed, const RandomGraphOptions& options);
  RandomGraph Run();

 private:
  // -- Choices.
  int Between(int low, int high) {
    return low + static_cast<int>(random_.Below(static_cast<size_t>(high - low + 1)));
  }
  bool Chance(int percent) { return random_.Chance(percent); }
  template <class T>
  T OneOf(std::initializer_list<T> items) {
    return random_.Pick(items);
  }

  // -- Values (generator.cc).
  Expr RandomExtent();
  Shape RandomShape(int rank);
  // A value of the pool, newer ones more often.
  const Value& Any();
  // One that fits; nothing if there is none.
  std::optional<Value> AnyOf(const std::function<bool(const Value&)>& fits);
  GraphVar Read(const GraphVar& var);
  void Keep(const GraphVar& var, Range range = {});
  GraphVar Input(DataType dtype, const Shape& shape);
  // Elements within the range, for a static shape.
  GraphVar Constant(DataType dtype, const Shape& shape, Range range = {-1, 1});
  // A value of this type whose elements lie in the range: one of the pool, or one that is made.
  GraphVar Provide(DataType dtype, const Shape& shape, Range range);
  // `value` of another type and shape; null if this generator cannot make it.
  GraphVar Adapt(const Value& value, DataType dtype, const Shape& shape);
  GraphVar Into(const Value& value, Range range);
  // A scalar that depends on `x`.
  GraphVar ScalarOf(const GraphVar& x);
  // A call that may be illegal, or too large: null then.
  GraphVar Try(const std::string& op, const std::vector<GraphVar>& args, ir::Dict attrs = {});
  GraphVar Call(const std::string& op, const std::vector<GraphVar>& args, ir::Dict attrs = {});
  bool TakeAssumptions(const std::vector<graph::SizeAssumption>& assumptions);
  // Has the type few elements, with at least two sets of sizes? Others are no longer legal then.
  bool IsSmall(const ir::NodeRef& type);
  void Start();
  ir::GraphVar Results();

  // -- Steps. Each adds some operators.
  void Step(int depth);
  // An operator of the table, by one of its examples (table_steps.cc).
  void FromTable();
  bool TryExample(const graph::OpDef& op, const graph::OpExample& example, DataType type,
                  bool fit_to_pool);
  ir::Dict OtherAttrs(const graph::OpDef& op, const ir::Dict& attrs);
  Range ResultRange(const graph::OpDef& op, const std::vector<Value>& args) const;
  // Pieces of networks (network_steps.cc).
  void Network();
  void Elementwise(const Value& x);
  void Pointwise(const Value& x);
  void Product(const Value& x);
  void Heads(const Value& x);
  void Norm(const Value& x);
  void Rearrange(const Value& x);
  void Reduce(const Value& x);
  void JoinAndSplit(const Value& x);
  void SameTwice(const Value& x);
  GraphVar Weight(const std::vector<int64_t>& shape);
  GraphVar Partner(const GraphVar& x);
  // Those of images (image_steps.cc).
  void Convolution(const Value& x);
  void ProductOfGroups(const Value& x);
  void BehindConvolution(GraphVar x);
  void Pool(const Value& x);
  void Residual(const GraphVar& x);
  // Quantised pieces of networks (quantised_steps.cc). `x`: an image, or a matrix.
  void QuantisedProduct(const Value& x);
  GraphVar Requantised(const GraphVar& x);
  // Control flow and tuples (flow_steps.cc).
  void If(int depth);
  void Loop(int depth);
  void Closure();
  void Tuples();
  GraphVar Truth();
  // Some steps from `x` to a value of the same type, in the open block.
  GraphVar Chain(const GraphVar& x, int depth);

  const RandomGraphOptions options_;
  Random random_;
  graph::Builder b_;
  std::vector<Expr> sizes_;
  std::vector<ir::Var> size_vars_;
  // Values of the sizes with which everything so far is legal.
  std::vector<std::vector<int64_t>> legal_;
  std::vector<Value> pool_;  // tensors that the open block sees
  std::unordered_set<const ir::Node*> read_;
  std::map<std::string, int64_t> features_;
  bool images_ = false;
  int inputs_ = 0, constants_ = 0, operators_ = 0;
};

}  // namespace lathe::prove::graphs
