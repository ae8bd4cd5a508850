#include "tests/prove/graphs/check.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "arith/analyzer.h"
#include "base/blob.h"
#include "base/error.h"
#include "base/poll.h"
#include "graph/build.h"
#include "graph/check/values.h"
#include "graph/infer.h"
#include "graph/passes/fuse.h"
#include "graph/passes/pass.h"
#include "ir/binary.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/error_object.h"
#include "target/host_target.h"
#include "tests/prove/graphs/random_graph.h"
#include "tests/prove/random.h"

namespace lathe::prove::graphs {
namespace {

using graph::Difference;
using graph::GraphFuncRef;
using graph::Interpreted;
using graph::Noisy;
using graph::RandomInputs;
using graph::Tensors;
using graph::Values;
using ir::As;

constexpr size_t kMostLegalSets = 3, kMostIllegalSets = 2;

ir::GraphModule ModuleOf(const GraphFuncRef& func) {
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(func);
  return module;
}

// The function with numbers for its sizes. Throws what inference throws if they are illegal.
GraphFuncRef Concrete(const ir::GraphFunc& func, const std::vector<int64_t>& sizes) {
  ir::VarMap map;
  for (size_t i = 0; i < sizes.size(); ++i) map.emplace(func.sizes[i], graph::Int64(sizes[i]));
  graph::Builder builder(func.name);
  std::vector<ir::GraphVar> args;
  for (const ir::GraphVar& param : func.params) {
    const auto& type = static_cast<const ir::TensorType&>(*param->type);
    std::vector<ir::Expr> shape;
    arith::Analyzer analyzer;
    for (const ir::Expr& extent : type.shape) {
      shape.push_back(analyzer.Simplify(ir::Substitute(extent, map)));
    }
    args.push_back(builder.Input(param->name, type.dtype, std::move(shape)));
  }
  const ir::GraphVar result = graph::InlineCall(func, args, map, builder);
  return builder.Finish(result);
}

bool HasNegative(const ir::NodeRef& type) {
  const auto* tensor = As<ir::TensorType>(type);
  if (tensor == nullptr) return false;
  return std::ranges::any_of(tensor->shape, [](const ir::Expr& extent) {
    const int64_t* number = ir::AsConstInt(extent);
    return number != nullptr && *number < 0;
  });
}

// Calls `visit` for the bindings of a block and of the blocks within.
void ForEachBinding(const ir::GraphBlock& block,
                    const std::function<void(const ir::GraphBinding&)>& visit) {
  for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
    visit(*binding);
    if (const auto* node = As<ir::GraphIf>(binding->value)) {
      ForEachBinding(*node->then_block, visit);
      ForEachBinding(*node->else_block, visit);
    } else if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
      ForEachBinding(*loop->condition, visit);
      ForEachBinding(*loop->body, visit);
    } else if (const auto* func = As<ir::GraphFunc>(binding->value)) {
      ForEachBinding(*func->body, visit);
    }
  }
}

// Do the types of the function exist for these sizes?
bool IsLegal(const ir::GraphFunc& func, const std::vector<int64_t>& sizes) {
  try {
    bool legal = true;
    ForEachBinding(*Concrete(func, sizes)->body, [&](const ir::GraphBinding& binding) {
      legal = legal && !HasNegative(binding.var->type);
    });
    return legal;
  } catch (const Error&) {
    return false;
  }
}

bool Hold(const std::vector<graph::SizeAssumption>& assumptions, const ir::GraphFunc& func,
          const std::vector<int64_t>& sizes) {
  ir::VarMap map;
  for (size_t i = 0; i < sizes.size(); ++i) map.emplace(func.sizes[i], graph::Int64(sizes[i]));
  arith::Analyzer analyzer;
  return std::ranges::all_of(assumptions, [&](const graph::SizeAssumption& one) {
    const ir::Expr a_value = analyzer.Simplify(ir::Substitute(one.a, map)),
                   b_value = analyzer.Simplify(ir::Substitute(one.b, map));
    const int64_t *a = ir::AsConstInt(a_value), *b = ir::AsConstInt(b_value);
    if (a == nullptr || b == nullptr) return false;
    return one.kind == graph::SizeAssumption::Kind::kEqual ? *a == *b : *a <= *b;
  });
}

// Sizes with inputs, and what the interpreter makes of them.
struct Run {
  std::vector<int64_t> sizes;
  Values inputs;
  Tensors expected;
};

graph::Computation EvaluateByInterpreter(const GraphFuncRef& func) {
  return [func](const Tensors& args) { return Interpreted(func, {args.begin(), args.end()}); };
}

class Checker {
 public:
  Checker(const GraphFuncRef& func, const CheckOptions& options)
      : func_(func), options_(options), random_(options.seed) {}

  CheckResult Run() {
    const bool good = Step("text", [this] { Text(); }) && Step("binary", [this] { Binary(); }) &&
                      Step("interpreter", [this] { Sizes(); }) && (!options_.passes || Passes()) &&
                      (!options_.compile || (Compiled(0) && Compiled(3)));
    (void)good;
    return std::move(result_);
  }

 private:
  // Runs a step; what it throws is its failure. Returns false after a failure.
  bool Step(const std::string& where, const std::function<void()>& step) {
    const bool needed = where == "interpreter";
    if (!needed && !options_.only.empty() && options_.only != where) return true;
    try {
      step();
    } catch (const Interruption&) {
      throw;
    } catch (const std::exception& error) {
      result_.where = where;
      result_.detail = error.what();
    }
    return result_.ok();
  }
  static void Fail(const std::string& what) { throw std::runtime_error(what); }

  void Text() {
    const ir::GraphModule module = ModuleOf(func_);
    const std::string text = ir::ToText(module, {.max_data = size_t{1} << 20});
    const ir::GraphModule read = graph::InferTypes(ir::ParseGraphModule(text));
    const std::string difference = ir::StructuralDifference(graph::InferTypes(module), read);
    if (!difference.empty()) Fail("the text is read back as another graph: " + difference);
  }
  void Binary() {
    const ir::GraphModule module = ModuleOf(func_);
    const ir::NodeRef read = ir::DecodeNode(ir::EncodeNode(module));
    const std::string difference = ir::StructuralDifference(module, read);
    if (!difference.empty()) Fail("the bytes are read back as another graph: " + difference);
  }

  // Chooses sizes and interprets the graph with them.
  void Sizes() {
    const std::vector<graph::SizeAssumption> assumptions = graph::AssumptionsOf(*func_);
    // What nobody reads need not be legal; compositions may not read all of their arguments.
    GraphFuncRef live = func_;
    for (const auto pass : {&graph::InlineFunctions, &graph::ExpandOperators, &graph::ForwardTuples,
                            &graph::DropDeadCode}) {
      live = pass(live, {}, PassContext());
    }
    std::vector<std::vector<int64_t>> sets = SizeSets(func_->sizes.size());
    // The first, then any order.
    std::vector<std::vector<int64_t>> others(sets.begin() + 1, sets.end());
    random_.Shuffle(others);
    std::ranges::copy(others, sets.begin() + 1);
    for (const std::vector<int64_t>& sizes : sets) {
      if (!IsLegal(*live, sizes)) {
        // A number 0 in an attribute may mean something else than a size that is 0.
        const bool has_zero = std::ranges::count(sizes, 0) > 0;
        if (illegal_.size() < kMostIllegalSets && !has_zero) illegal_.push_back(sizes);
        continue;
      }
      if (!IsLegal(*func_, sizes)) continue;
      if (runs_.size() == kMostLegalSets || !Hold(assumptions, *func_, sizes)) continue;
      struct Run run{.sizes = sizes, .inputs = RandomInputs(*func_, sizes, random_.Next())};
      run.expected = Interpreted(func_, run.inputs);
      runs_.push_back(std::move(run));
    }
  }

  std::string DifferenceOf(const Tensors& found, const struct Run& run) {
    return Difference(found, run.expected, [&] { return Noisy(func_, run.inputs, options_.seed); });
  }

  // Is `after` the same function as the graph?
  void Same(const GraphFuncRef& after) {
    for (size_t i = 0; i < std::min<size_t>(runs_.size(), 2); ++i) {
      const std::string difference = DifferenceOf(Interpreted(after, runs_[i].inputs), runs_[i]);
      if (!difference.empty()) {
        Fail(SizesText(runs_[i].sizes) + difference + "\nafter it:\n" +
             ir::ToText(after, {.max_data = 0}));
      }
    }
  }

  graph::GraphPassContext PassContext() {
    return {.opt_level = 3,
            .vector_lanes = static_cast<int>(4 << (options_.seed % 3)),
            .dot_data = options_.seed % 2 == 0 ? DataType::UInt(8) : DataType::Int(8),
            .bfloat16_group = 2,
            .evaluate = EvaluateByInterpreter};
  }

  bool Passes() {
    const graph::GraphPassContext context = PassContext();
    std::set<std::string> seen;
    for (const graph::GraphPass& pass : graph::GraphPasses()) {
      if (!seen.insert(pass.name).second) continue;
      if (!Step(std::string("pass ") + pass.name, [&] {
            const GraphFuncRef after = pass.run(func_, {}, context);
            if (!ir::StructuralEqual(func_, after)) Same(after);
          })) {
        return false;
      }
    }
    if (!Step("pass fuse", [&] { Same(graph::Fuse(*func_, {})); })) return false;
    // One after another, with what the earlier ones leave.
    GraphFuncRef now = func_;
    for (const graph::GraphPass& pass : graph::GraphPasses()) {
      GraphFuncRef after;
      // Needed by the steps behind it, also where only one step is checked.
      try {
        after = pass.run(now, {}, context);
      } catch (const Error&) {
        return Step(std::string(pass.name) + " in order", [&] { pass.run(now, {}, context); });
      }
      if (!Step(std::string(pass.name) + " in order", [&] {
            if (!ir::StructuralEqual(now, after)) Same(after);
          })) {
        return false;
      }
      now = std::move(after);
    }
    return Step("fuse in order", [&] { Same(graph::Fuse(*now, {})); });
  }

  bool Compiled(int level) {
    return Step("level " + std::to_string(level), [&] {
      graph::GraphBuildOptions options;
      options.opt_level = level;
      options.cache = options_.cache;
      options.threads = 1;
      auto compiled =
          graph::CompileGraph(ModuleOf(func_), func_->name, target::HostTarget(), options);
      if (!compiled.ok()) runtime::ThrowStatus(compiled.status());
      RunPlan(*std::move(compiled));
    });
  }

  void RunPlan(graph::CompiledGraph compiled) {
    const std::string bytes = runtime::graph::EncodePlan(compiled.plan);
    auto plan = runtime::graph::DecodePlan(bytes);
    if (!plan.ok()) runtime::ThrowStatus(plan.status());
    if (runtime::graph::EncodePlan(*plan) != bytes) {
      Fail("the plan's bytes are read back as another plan");
    }
    compiled.plan = *std::move(plan);
    auto executable = graph::LoadGraph(compiled);
    if (!executable.ok()) runtime::ThrowStatus(executable.status());
    runtime::graph::Context context(*executable);
    runtime::ThrowIfError(context.SetThreads(options_.seed % 2 == 0 ? 1 : 2));
    // The first sizes again at the end: the context has planned other ones in between.
    std::vector<const struct Run*> order;
    for (const struct Run& run : runs_) order.push_back(&run);
    if (runs_.size() > 1) order.push_back(&runs_[0]);
    for (size_t i = 0; i < order.size(); ++i) {
      RunOnce(context, *order[i], (options_.seed + i) % 3 == 0);
    }
    for (const std::vector<int64_t>& sizes : illegal_) MustRefuse(context, sizes);
  }

  void RunOnce(runtime::graph::Context& context, const struct Run& run, bool own_outputs) {
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      runtime::ThrowIfError(context.SetInput(static_cast<int>(i), run.inputs[i].tensor));
    }
    for (size_t i = 0; i < run.expected.size(); ++i) {
      runtime::Tensor own;
      if (own_outputs) {
        const runtime::Tensor& like = run.expected[i];
        auto made = runtime::Tensor::Empty(like.shape(), like.dtype());
        if (!made.ok()) runtime::ThrowStatus(made.status());
        own = *std::move(made);
        if (own.num_bytes() > 0) std::memset(own.dl().data, 0x5a, own.num_bytes());
      }
      runtime::ThrowIfError(context.SetOutput(static_cast<int>(i), own));
    }
    runtime::ThrowIfError(context.Run());
    ++result_.runs;
    Tensors found;
    for (size_t i = 0; i < context.plan().outputs.size(); ++i) {
      auto output = context.GetOutput(static_cast<int>(i));
      if (!output.ok()) runtime::ThrowStatus(output.status());
      found.push_back(*std::move(output));
    }
    const std::string difference = DifferenceOf(found, run);
    if (!difference.empty()) Fail(SizesText(run.sizes) + difference);
  }

  void MustRefuse(runtime::graph::Context& context, const std::vector<int64_t>& sizes) {
    const Values inputs = RandomInputs(*func_, sizes, options_.seed);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!context.SetInput(static_cast<int>(i), inputs[i].tensor).ok()) {
        ++result_.refused;
        return;
      }
    }
    for (size_t i = 0; i < context.plan().outputs.size(); ++i) {
      runtime::ThrowIfError(context.SetOutput(static_cast<int>(i), {}));
    }
    if (context.Run().ok()) Fail(SizesText(sizes) + "the graph runs with sizes that are illegal");
    ++result_.refused;
  }

  std::string SizesText(const std::vector<int64_t>& sizes) const {
    std::string text;
    for (size_t i = 0; i < sizes.size(); ++i) {
      text += func_->sizes[i]->name + " = " + std::to_string(sizes[i]) + ", ";
    }
    return text;
  }

  const GraphFuncRef& func_;
  const CheckOptions& options_;
  Random random_;
  CheckResult result_;
  std::vector<struct Run> runs_;
  std::vector<std::vector<int64_t>> illegal_;
};

}  // namespace

CheckResult CheckGraph(const GraphFuncRef& func, const CheckOptions& options) {
  return Checker(func, options).Run();
}

}  // namespace lathe::prove::graphs
