// What every operator must satisfy, by its examples, for each element type that it takes and with
// symbolic sizes:
//
// - the type that inference finds is the type of what is computed;
// - compiled code gives what the interpreter gives;
// - its documentation is complete.
//
// An operator that is a composition must have the type of what it expands to.
#include <cmath>
#include <random>

#include "absl/strings/str_join.h"
#include "arith/analyzer.h"
#include "base/error.h"
#include "base/float_formats.h"
#include "driver/auto_build.h"
#include "driver/build_module.h"
#include "driver/default_plugins.h"
#include "graph/builder.h"
#include "graph/interpreter/interpreter.h"
#include "graph/ops/example.h"
#include "graph/passes/pass.h"
#include "graph/sizes.h"
#include "gtest/gtest.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "runtime/registry.h"
#include "runtime/tensor.h"

namespace lathe::graph {
namespace {

using ir::Expr;
using runtime::Tensor;

// Each example's sizes have these values, in order.
constexpr int64_t kSizes[] = {5, 4, 3};

// One example of an operator with element types and values.
class Trial {
 public:
  Trial(const OpDef& op, const OpExample& example, DataType type)
      : op_(op), example_(example), type_(type), random_(7) {
    inputs_ = ReadExample(example, type, &sizes_);
    size_t next = 0;
    for (const auto& [name, var] : sizes_) values_.emplace(var, Int64(kSizes[next++]));
    for (const ExampleInput& input : inputs_) tensors_.push_back(RandomTensor(input));
  }

  // Of the types that the example is tried with.
  bool is_first() const { return type_ == TypesOfExample(op_, example_)[0]; }

  std::string Text() const {
    return op_.name + "(" + absl::StrJoin(example_.inputs, ", ") + ") with T = " + type_.ToString();
  }

  TypeResult Inferred() const {
    std::vector<ir::NodeRef> types;
    for (const ExampleInput& input : inputs_) {
      types.push_back(ir::MakeTensorType(input.dtype, input.shape));
    }
    return TypeOfCall(op_, types, example_.attrs);
  }
  ir::NodeRef SymbolicType() const { return Inferred().type; }
  // The same type with the sizes' values.
  ir::NodeRef ConcreteType() const {
    return ir::Rewrite(SymbolicType(), [&](const ir::VarNode& var) -> ir::NodeRef {
      const auto at = values_.find(ir::Var(&var));
      return at == values_.end() ? Expr() : at->second;
    });
  }

  // The results as the interpreter computes them.
  std::vector<Tensor> Interpreted() const { return Interpreted(tensors_); }

  // The first input as a vector, and the first result for it.
  void CheckKnowsNoPlaces() const {
    const auto flat = [](const Tensor& x) {
      const auto count = static_cast<int64_t>(x.num_bytes()) / x.dtype().bytes();
      return Tensor::FromHost(x.dl().data, x.num_bytes(), std::vector<int64_t>{count}, x.dtype())
          .value();
    };
    ExpectClose(Interpreted({flat(tensors_[0])})[0], flat(Interpreted()[0]));
  }

  std::vector<Tensor> Interpreted(const std::vector<Tensor>& tensors_of_inputs) const {
    Builder b("main");
    std::vector<ir::GraphVar> args;
    std::vector<GraphValue> values;
    bool as_stated = true;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      std::vector<Expr> shape;
      const Tensor& tensor = tensors_of_inputs[i];
      as_stated = as_stated && std::ranges::equal(tensor.shape(), tensors_[i].shape());
      for (const int64_t extent : tensor.shape()) shape.push_back(Int64(extent));
      args.push_back(b.Input("x" + std::to_string(i), inputs_[i].dtype, shape));
      values.emplace_back(tensor);
    }
    const ir::GraphVar y = b.Call(op_.name, args, example_.attrs);
    // New sizes are other ones in each call.
    EXPECT_TRUE(!as_stated || !Inferred().sizes.empty() || SameType(y->type, ConcreteType()))
        << Text() << ": " << TypeText(y->type) << " and " << TypeText(ConcreteType());
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->functions.push_back(b.Finish(y));
    const GraphValue result = Interpret(module, "main", values);
    std::vector<Tensor> tensors;
    if (result.kind == GraphValue::Kind::kTensor) return {result.tensor};
    for (const GraphValue& field : result.fields) tensors.push_back(field.tensor);
    return tensors;
  }

  // The te program of one call with symbolic sizes, to be compiled.
  std::vector<ir::NodeRef> Program() {
    ir::VarMap narrow;
    std::vector<ir::NodeRef> args;
    for (const auto& [name, var] : sizes_) {
      const ir::Var size = ir::MakeSizeVar(name);
      narrow.emplace(var, ir::MakeCast(DataType::Int(64), size));
      args.push_back(size);
    }
    std::vector<te::Tensor> inputs;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      te::Shape shape;
      for (const Expr& extent : inputs_[i].shape) {
        shape.push_back(Narrow(ir::Substitute(extent, narrow)));
      }
      inputs.push_back(te::Placeholder(shape, inputs_[i].dtype, "x" + std::to_string(i)));
    }
    const std::vector<te::Tensor> outputs = ComputeCall(op_, inputs, example_.attrs);
    reads_ = AreRead(inputs, outputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (reads_[i]) args.push_back(inputs[i]);
    }
    for (const te::Tensor& output : outputs) {
      args.push_back(output);
      shapes_.emplace_back();
      dtypes_.push_back(output->dtype());
      ir::VarMap concrete;
      for (size_t i = 0; i < sizes_.size(); ++i) {
        concrete.emplace(ir::RefAs<ir::VarNode>(args[i]), ir::Int(kSizes[i]));
      }
      for (const Expr& extent : output->shape()) {
        const Expr actual = arith::Analyzer().Simplify(ir::Substitute(extent, concrete));
        shapes_.back().push_back(*ir::AsConstInt(actual));
      }
    }
    return args;
  }

  void CheckCompiled(const runtime::Function& kernel, const std::vector<Tensor>& expected) const {
    std::vector<Tensor> outputs;
    std::vector<lathe_value> values;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      values.push_back(runtime::ValueTraits<int64_t>::Borrow(kSizes[i]));
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (reads_[i]) values.push_back(runtime::ValueTraits<Tensor>::Borrow(tensors_[i]));
    }
    for (size_t i = 0; i < shapes_.size(); ++i) {
      outputs.push_back(Tensor::Empty(shapes_[i], dtypes_[i]).value());
    }
    for (const Tensor& tensor : outputs) {
      values.push_back(runtime::ValueTraits<Tensor>::Borrow(tensor));
    }
    const auto result = kernel.TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
    ASSERT_TRUE(result.ok()) << Text() << ": " << result.status();
    // Of results with new sizes, the first rows count.
    for (size_t i = 0; i < expected.size(); ++i) ExpectClose(outputs[i], expected[i]);
    if (outputs.size() == expected.size()) return;
    // as_shape's result has no rows: its sizes are its other extents.
    const size_t dim = expected[0].shape()[0] == 0 && op_.name == "as_shape" ? 1 : 0;
    EXPECT_EQ(Element(outputs.back(), 0), static_cast<double>(expected[0].shape()[dim])) << Text();
  }

 private:
  Tensor RandomTensor(const ExampleInput& input) {
    std::vector<int64_t> shape;
    for (const Expr& extent : input.shape) {
      shape.push_back(*ir::AsConstInt(ir::Substitute(extent, values_)));
    }
    Tensor tensor = Tensor::Empty(shape, input.dtype).value();
    const int64_t count = Count(tensor);
    for (int64_t i = 0; i < count; ++i) {
      const double unit = std::uniform_real_distribution<double>(0, 1)(random_);
      double value = input.low + unit * (input.high - input.low);
      // Sums of such products are exact in float16, in any order. Those of others depend on the
      // processor: with one rounding for each multiply-add, or with two.
      if (op_.kind == OpKind::kAnchor && input.dtype == DataType::Float(16)) {
        value = std::round(4 * value) / 4;
      }
      if (!input.dtype.is_float()) {
        value = std::floor(input.low + unit * (input.high - input.low + 0.999));
      }
      Store(tensor, i, value);
    }
    return tensor;
  }

  static int64_t Count(const Tensor& tensor) {
    int64_t count = 1;
    for (const int64_t extent : tensor.shape()) count *= extent;
    return count;
  }
  static void Store(const Tensor& tensor, int64_t i, double value) {
    const DataType dtype = tensor.dtype();
    const uint64_t bits = dtype.is_float() ? EncodeFloat(value, dtype)
                                           : static_cast<uint64_t>(static_cast<int64_t>(value));
    const int bytes = dtype.bytes();
    std::memcpy(static_cast<char*>(tensor.dl().data) + i * bytes, &bits,
                static_cast<size_t>(bytes));
  }
  static double Element(const Tensor& tensor, int64_t i) {
    const DataType dtype = tensor.dtype();
    const int bytes = dtype.bytes();
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(tensor.dl().data) + i * bytes,
                static_cast<size_t>(bytes));
    if (dtype.is_float()) return DecodeFloat(bits, dtype);
    if (dtype.is_uint() || dtype.is_bool()) return static_cast<double>(bits);
    const int unused = 64 - dtype.bits();
    return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
  }

  // Sums in another order, and fused multiply-adds, round differently.
  void ExpectClose(const Tensor& found, const Tensor& expected) const {
    const DataType dtype = expected.dtype();
    double tolerance = 0;
    if (dtype.is_float()) {
      tolerance = dtype.bits() == 64    ? 1e-12
                  : dtype.bits() == 32  ? 1e-5
                  : dtype.is_bfloat16() ? 0.06
                                        : 0.01;
    }
    for (int64_t i = 0; i < Count(expected); ++i) {
      const double a = Element(found, i), b = Element(expected, i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ASSERT_LE(std::abs(a - b), tolerance * (1 + std::abs(b)))
          << Text() << ": element " << i << " is " << a << ", must be " << b;
    }
  }

  const OpDef& op_;
  const OpExample& example_;
  const DataType type_;
  std::mt19937_64 random_;
  std::map<std::string, ir::Var> sizes_;
  ir::VarMap values_;
  std::vector<ExampleInput> inputs_;
  std::vector<Tensor> tensors_;
  std::vector<bool> reads_;                   // of the inputs by the te program
  std::vector<std::vector<int64_t>> shapes_;  // of its results
  std::vector<DataType> dtypes_;
};

// With the default schedule, or as plain loops, which compile in a fraction of the time.
driver::ProgramToCompile Scheduled(const std::vector<ir::NodeRef>& args, const std::string& name,
                                   bool plain) {
  const target::Target target = target::ParseTarget("llvm");
  if (!plain) return driver::AutoProgram(args, name, target, {}, nullptr).value();
  std::vector<ir::Op> outputs;
  for (const ir::NodeRef& arg : args) {
    const te::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (tensor && ir::As<ir::PlaceholderOp>(tensor->op) == nullptr) outputs.push_back(tensor->op);
  }
  return {schedule::CreateSchedule(outputs), args, name, target, {}};
}

class Operators : public testing::TestWithParam<const OpDef*> {
 protected:
  static void SetUpTestSuite() {
    driver::UseDefaultPlugins();
    // What the example of call_packed calls.
    const auto copy = [](const DLTensor* from, const DLTensor* to) {
      std::memcpy(to->data, from->data, size_t{5} * 3 * sizeof(float));
    };
    ASSERT_TRUE(runtime::RegisterGlobal("example.copy", runtime::Function::From(copy)).ok());
  }
};

TEST_P(Operators, AreDocumented) {
  const OpDef& op = *GetParam();
  EXPECT_TRUE(op.doc.ends_with(".")) << op.doc;
  EXPECT_FALSE(op.examples.empty());
  EXPECT_TRUE(op.compute != nullptr || op.expand != nullptr);
  for (const OpInput& input : op.inputs) EXPECT_FALSE(input.doc.empty()) << input.name;
  for (const AttrDef& attr : op.attrs) EXPECT_FALSE(attr.doc.empty()) << attr.name;
}

// Passes move elementwise operators through other shapes of the same elements.
TEST_P(Operators, ElementwiseKnowsNoPlaces) {
  const OpDef& op = *GetParam();
  if (op.kind != OpKind::kElementwise || op.inputs.size() != 1) return;
  try {
    Trial(op, op.examples[0], TypesOfExample(op, op.examples[0])[0]).CheckKnowsNoPlaces();
  } catch (const Error& error) {
    ADD_FAILURE() << "it takes no vectors, so its kind is no elementwise: " << error.what();
  }
}

TEST_P(Operators, CompiledIsInterpreted) {
  const OpDef& op = *GetParam();
  std::vector<Trial> trials;
  for (const OpExample& example : op.examples) {
    const std::vector<DataType> types = TypesOfExample(op, example);
    for (const DataType type : types) {
      // Every type by the first example; the others show attributes.
      if (&example != &op.examples[0] && type != types[0]) continue;
      trials.emplace_back(op, example, type);
    }
  }
  std::vector<driver::ProgramToCompile> programs;
  std::vector<std::vector<Tensor>> expected;
  for (Trial& trial : trials) {
    try {
      expected.push_back(trial.Interpreted());
      if (!op.compute) {
        trial.SymbolicType();
        continue;
      }
      programs.push_back(Scheduled(trial.Program(), "f" + std::to_string(programs.size()),
                                   /*plain=*/!trial.is_first()));
    } catch (const Error& error) {
      FAIL() << trial.Text() << ": " << error.what();
    }
  }
  if (programs.empty()) return;
  const auto module = driver::BuildTogether(programs, {});
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < trials.size(); ++i) {
    trials[i].CheckCompiled(module->GetFunction("f" + std::to_string(i)).value(), expected[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Operators, testing::ValuesIn(AllOps().begin(), AllOps().end()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           std::string name = info.param->name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace lathe::graph
