// The gradient of every operator equals finite differences, by its examples: for each floating
// input, the derivative in a random direction of a random sum of the results, in float64 and with
// symbolic sizes; and compiled gradients equal interpreted ones, for the first example in float32.
#include <cmath>

#include "arith/analyzer.h"
#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/finite_differences.h"
#include "graph/interpreter/interpreter.h"
#include "graph/ops/example.h"
#include "graph/passes/gradient.h"
#include "graph/reverse.h"
#include "graph/sizes.h"
#include "gtest/gtest.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "runtime/error_object.h"
#include "runtime/tensor.h"
#include "target/host_target.h"

namespace lathe::graph {
namespace {

using ir::Expr;
using ir::GraphVar;
using runtime::Tensor;

constexpr int64_t kSizes[] = {5, 4, 3};  // the values of an example's sizes, in order

int64_t CountOf(const Tensor& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape()) count *= extent;
  return count;
}
float Element(const Tensor& tensor, int64_t i) {
  return static_cast<const float*>(tensor.dl().data)[i];
}

ir::GraphModule ModuleOf(const GraphFuncRef& func) {
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(func);
  return module;
}

// One example of an operator as a function: a weighted sum of its floating results.
class Trial {
 public:
  Trial(const OpDef& op, const OpExample& example, DataType type) : op_(op), type_(type) {
    std::map<std::string, ir::Var> sizes;
    // `T` may stand for integer types only.
    const std::vector<DataType> types = TypesOfExample(op, example);
    const bool is_typed = std::ranges::count(types, type) > 0;
    inputs_ = ReadExample(example, is_typed ? type : types[0], &sizes);
    Builder b("main");
    ir::VarMap symbolic;
    size_t next = 0;
    for (const auto& [name, var] : sizes) {
      const Expr size = b.Size(name);
      symbolic.emplace(var, size);
      values_.emplace(ir::RefAs<ir::VarNode>(size), Int64(kSizes[next++]));
    }
    std::vector<GraphVar> args;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].dtype.is_float()) inputs_[i].dtype = type_;
      for (Expr& extent : inputs_[i].shape) extent = ir::Substitute(extent, symbolic);
      args.push_back(b.Input("x" + std::to_string(i), inputs_[i].dtype, inputs_[i].shape));
      if (IsConstant(i)) args.back() = b.Call("stop_gradient", {args.back()});
      tensors_.push_back(Random(inputs_[i]));
    }
    ir::Dict attrs = example.attrs;
    for (const AttrDef& attr : op.attrs) {
      const auto at = attrs.find(attr.name);
      if (at == attrs.end() || attr.type != AttrType::kDType) continue;
      const DataType dtype = Attrs(op, example.attrs).Type(attr.name);
      if (dtype.is_float()) at->second = StringAttr(type_.ToString());
    }
    const GraphVar y = b.Call(op.name, args, attrs);
    if (!IsDifferentiable(y->type)) return;
    Cotangent parts = CotangentOf(b, y);
    if (parts.tensor) parts.fields = {{.tensor = parts.tensor}};
    GraphVar loss;
    for (const Cotangent& part : parts.fields) {
      if (!part.tensor) continue;
      // Neutral elements of maxima are as large as numbers can be.
      const GraphVar bounded =
          b.Call("clip", {part.tensor}, {{"a_min", FloatAttr(-1e3)}, {"a_max", FloatAttr(1e3)}});
      const auto& result = static_cast<const ir::TensorType&>(*part.tensor->type);
      GraphVar weight = bounded;  // of results whose extents only a run knows
      if (IsKnown(result)) {
        weight = b.Input("r" + std::to_string(tensors_.size()), result.dtype, result.shape);
        tensors_.push_back(Random({result.dtype, result.shape, -1, 1}));
      }
      const GraphVar sum = b.Call("sum", {b.Call("multiply", {bounded, weight})});
      loss = loss ? b.Call("add", {loss, sum}) : sum;
    }
    func_ = b.Finish(loss);
  }

  bool HasGradient() const {
    if (!func_) return false;
    return std::ranges::any_of(inputs_, [](const ExampleInput& x) { return x.dtype.is_float(); });
  }
  std::string Text() const {
    return op_.name + " with T = " + type_.ToString() + ": " + ir::ToText(ir::NodeRef(func_));
  }

  GraphFuncRef GradientFunction() const { return Gradient(func_); }

  std::vector<Tensor> Interpreted(const GraphFuncRef& gradient) const {
    const GraphValue pair = Interpret(ModuleOf(gradient), "main",
                                      std::vector<GraphValue>(tensors_.begin(), tensors_.end()));
    std::vector<Tensor> tensors{pair.fields[0].tensor};
    for (const GraphValue& field : pair.fields[1].fields) tensors.push_back(field.tensor);
    return tensors;
  }

  // "" if the gradients of all inputs are right; `order` 2: those of the gradients.
  std::string Difference(int order = 1) const {
    DifferenceOptions options{.seed = 5};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (IsConstant(i)) options.constants.push_back(i);
    }
    if (order == 2) options.tolerance = 1e-5;
    return CompareWithDifferences(order == 1 ? func_ : Gradient(func_), tensors_, options);
  }

  void CheckCompiled(const GraphFuncRef& gradient, const std::vector<Tensor>& expected) const {
    GraphBuildOptions options;
    options.opt_level = 1;
    const auto compiled = CompileGraph(ModuleOf(gradient), "main", target::HostTarget(), options);
    ASSERT_TRUE(compiled.ok()) << Text() << ": " << compiled.status();
    const auto loaded = LoadGraph(*compiled);
    ASSERT_TRUE(loaded.ok()) << Text() << ": " << loaded.status();
    runtime::graph::Context context(*loaded);
    for (size_t i = 0; i < tensors_.size(); ++i) {
      runtime::ThrowIfError(context.SetInput(static_cast<int>(i), tensors_[i]));
    }
    runtime::ThrowIfError(context.Run());
    for (size_t i = 0; i < inputs_.size() + 1; ++i) {
      if (!expected[i].dtype().is_float()) continue;
      const auto tensor = context.GetOutput(static_cast<int>(i));
      ASSERT_TRUE(tensor.ok()) << Text() << ": " << tensor.status();
      for (int64_t k = 0; k < CountOf(expected[i]); ++k) {
        const double a = Element(*tensor, k), e = Element(expected[i], k);
        ASSERT_LE(std::abs(a - e), 2e-4 * (1 + std::abs(e)))
            << Text() << ": element " << k << " of output " << i;
      }
    }
  }

 private:
  // Arguments that have no gradient: the corners of the part that resizing takes.
  bool IsConstant(size_t input) const { return op_.name.starts_with("image.resize") && input == 1; }

  Expr Number(const Expr& extent) const {
    return arith::Analyzer().Simplify(ir::Substitute(extent, values_));
  }
  bool IsKnown(const ir::TensorType& type) const {
    return std::ranges::all_of(
        type.shape, [&](const Expr& extent) { return ir::AsConstInt(Number(extent)) != nullptr; });
  }

  Tensor Random(const ExampleInput& input) {
    std::vector<int64_t> shape;
    for (const Expr& extent : input.shape) {
      shape.push_back(*ir::AsConstInt(Number(extent)));
    }
    return RandomTensor(input.dtype, shape, input.low, input.high, tensors_.size() + 17);
  }

  const OpDef& op_;
  const DataType type_;
  ir::VarMap values_;
  std::vector<ExampleInput> inputs_;
  std::vector<Tensor> tensors_;  // the inputs, and the weights of the results
  GraphFuncRef func_;            // null: the result has no floating elements
};

std::vector<const OpDef*> OpsWithGradients() {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : AllOps()) {
    // Finite differences go through a stop.
    if ((op->gradient || op->expand) && op->name != "stop_gradient") ops.push_back(op);
  }
  return ops;
}

class Gradients : public testing::TestWithParam<const OpDef*> {
 protected:
  static void SetUpTestSuite() { driver::UseDefaultPlugins(); }
};

TEST_P(Gradients, EqualFiniteDifferences) {
  const OpDef& op = *GetParam();
  for (const OpExample& example : op.examples) {
    try {
      const Trial trial(op, example, DataType::Float(64));
      if (!trial.HasGradient()) continue;
      EXPECT_EQ(trial.Difference(), "") << trial.Text();
    } catch (const Error& error) {
      ADD_FAILURE() << op.name << ": " << error.what();
    }
  }
}

// The gradient of the first example's gradient.
TEST_P(Gradients, CanBeDifferentiated) {
  const OpDef& op = *GetParam();
  try {
    const Trial trial(op, op.examples[0], DataType::Float(64));
    if (!trial.HasGradient()) return;
    EXPECT_EQ(trial.Difference(2), "") << trial.Text();
  } catch (const Error& error) {
    ADD_FAILURE() << op.name << ": " << error.what();
  }
}

// Compiling takes longer than all else, so it is done for every third operator.
TEST_P(Gradients, CompiledIsInterpreted) {
  const OpDef& op = *GetParam();
  const std::vector<const OpDef*> ops = OpsWithGradients();
  if ((std::ranges::find(ops, &op) - ops.begin()) % 3 != 0) return;
  try {
    const Trial trial(op, op.examples[0], DataType::Float(32));
    if (!trial.HasGradient()) return;
    const GraphFuncRef gradient = trial.GradientFunction();
    trial.CheckCompiled(gradient, trial.Interpreted(gradient));
  } catch (const Error& error) {
    ADD_FAILURE() << op.name << ": " << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Gradients, testing::ValuesIn(OpsWithGradients()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           std::string name = info.param->name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace lathe::graph
