#include "graph/check/bisect.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "base/error.h"
#include "driver/auto_build.h"
#include "graph/check/recorded_calls.h"
#include "graph/infer.h"
#include "graph/passes/fuse.h"
#include "graph/plan/kernel_program.h"
#include "ir/structural.h"
#include "ir/text/printer.h"
#include "runtime/error_object.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

using driver::BisectArguments;
using driver::BisectReport;
using driver::BisectStage;
using runtime::Tensor;

// The search was over: unwinds the compiler.
struct Found {};

GraphFuncRef FunctionOf(const ir::GraphModule& module, const std::string& name) {
  for (const GraphFuncRef& func : module->functions) {
    if (func->name == name) return func;
  }
  throw Error(Diagnostic{.name = "graph-no-function",
                         .message = "the graph has no function `" + name + "`"});
}

std::vector<std::string> LinesOf(const GraphFuncRef& func) {
  std::vector<std::string> lines;
  std::istringstream text(ir::ToText(func, {.max_data = 0}));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The lines in which two functions differ: what comes before and behind is left out.
std::pair<std::string, std::string> ChangedLines(const GraphFuncRef& before,
                                                 const GraphFuncRef& after) {
  std::vector<std::string> a = LinesOf(before), b = LinesOf(after);
  const auto [first_a, first_b] = std::ranges::mismatch(a, b);
  a.erase(a.begin(), first_a);
  b.erase(b.begin(), first_b);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  const auto joined = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  };
  return {joined(a), joined(b)};
}

class Bisection {
 public:
  Bisection(const ir::GraphModule& module, const std::string& function, const Values& inputs,
            const target::Target& target, const GraphBuildOptions& options)
      : module_(module),
        func_(FunctionOf(module, function)),
        inputs_(inputs),
        target_(target),
        options_(options) {}

  absl::StatusOr<BisectReport> Run() {
    expected_ = Interpreted(func_, inputs_, module_);
    Add("definition", BisectStage::kComputed);
    GraphBuildOptions options = options_;
    options.after_pass = [this](std::string_view name, const GraphFuncRef& before,
                                const GraphFuncRef& after) { AfterPass(name, before, after); };
    CompiledGraph compiled;
    try {
      LATHE_ASSIGN_OR_RETURN(compiled, CompileGraph(module_, func_->name, target_, options));
    } catch (const Found&) {
      return std::move(report_);
    }
    for (const RecordedCall& call : RecordCalls(fused_, module_, inputs_)) {
      LATHE_RETURN_IF_ERROR(Kernel(call));
      if (report_.changed) return std::move(report_);
    }
    LATHE_RETURN_IF_ERROR(WholePlan(compiled));
    return std::move(report_);
  }

 private:
  void Add(std::string name, BisectStage::State state) {
    report_.stages.push_back({std::move(name), state});
  }
  void Changed(std::string name, std::string what) {
    Add(std::move(name), BisectStage::kChanged);
    report_.changed = true;
    report_.what = std::move(what);
  }
  std::string DifferenceFrom(const Tensors& found) {
    return Difference(found, expected_, [this] { return Noisy(func_, inputs_, 1, module_); });
  }

  void AfterPass(std::string_view name, const GraphFuncRef& before, const GraphFuncRef& after) {
    // Constants are folded by functions of their own, which run through here, too.
    if (after->name != func_->name) return;
    if (name == "fuse") fused_ = after;
    if (ir::StructuralEqual(before, after)) return Add(std::string(name), BisectStage::kUnchanged);
    std::string difference;
    try {
      difference = DifferenceFrom(Interpreted(after, inputs_, module_));
    } catch (const Error& error) {
      difference = error.what();
    }
    if (difference.empty()) return Add(std::string(name), BisectStage::kSame);
    Changed(std::string(name), difference);
    std::tie(report_.before, report_.after) = ChangedLines(before, after);
    throw Found();
  }

  // The value of each size of a kernel, from the shapes of what it is called with.
  static int64_t SizeIn(const ir::Var& size, const RecordedCall& call) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      const auto& type = static_cast<const ir::TensorType&>(*call.group->params[i]->type);
      for (size_t d = 0; d < type.shape.size(); ++d) {
        if (type.shape[d].get() == size.get()) return call.args[i].shape()[d];
      }
    }
    return -1;
  }
  int64_t SizeOf(const ir::Var& size, const RecordedCall& call) const {
    const int64_t own = SizeIn(size, call);
    if (own >= 0) return own;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto& type = static_cast<const ir::TensorType&>(*fused_->params[i]->type);
      for (size_t d = 0; d < type.shape.size(); ++d) {
        if (type.shape[d].get() == size.get()) return inputs_[i].tensor.shape()[d];
      }
    }
    throw Error(Diagnostic{.name = "graph-plan-size",
                           .message = "the size `" + size->name + "` is no extent of an input"});
  }

  static BisectArguments::Argument ArgumentOf(const Tensor& tensor, const std::string& name) {
    BisectArguments::Argument argument;
    argument.name = name;
    argument.dtype = tensor.dtype();
    argument.shape.assign(tensor.shape().begin(), tensor.shape().end());
    const auto* data = static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset;
    argument.bytes.assign(data, data + tensor.num_bytes());
    return argument;
  }

  // The schedule, each lowering pass and the code of the kernel of a group.
  absl::Status Kernel(const RecordedCall& call) {
    KernelProgram program = ProgramOfGroup(*call.group);
    if (!seen_.insert(ir::ToText(call.group, {.max_data = 0})).second) return absl::OkStatus();
    BisectArguments arguments;
    std::vector<lathe_value> values;
    for (const ir::Var& size : program.sizes) {
      const int64_t value = SizeOf(size, call);
      arguments.arguments.push_back({.name = size->name, .scalar = ir::InterpValue::Int(value)});
      values.push_back(runtime::ValueTraits<int64_t>::Borrow(value));
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!program.reads[i]) continue;
      arguments.arguments.push_back(ArgumentOf(call.args[i], call.group->params[i]->name));
      values.push_back(runtime::ValueTraits<Tensor>::Borrow(call.args[i]));
    }
    Tensors outputs;
    for (const Tensor& like : call.results) {
      LATHE_ASSIGN_OR_RETURN(Tensor output, Tensor::Empty(like.shape(), like.dtype()));
      std::memset(output.dl().data, 0, output.num_bytes());
      arguments.arguments.push_back(ArgumentOf(output, "result"));
      outputs.push_back(std::move(output));
    }
    for (const Tensor& output : outputs) {
      values.push_back(runtime::ValueTraits<Tensor>::Borrow(output));
    }
    LATHE_ASSIGN_OR_RETURN(
        const driver::ProgramToCompile made,
        driver::AutoProgram(program.args, program.name, target_, options_.context, nullptr));
    driver::BisectOptions how;
    how.context = options_.context;
    const BisectReport inner = driver::Bisect({made.schedule, made.args, made.name}, arguments,
                                              driver::AllPipelines(), target_, how);
    if (inner.changed) {
      Changed(program.name + ": " + inner.stages.back().name, inner.what);
      report_.before = inner.before;
      report_.after = inner.after;
      return absl::OkStatus();
    }
    LATHE_ASSIGN_OR_RETURN(const runtime::Module code, driver::BuildProgram(made, nullptr));
    LATHE_ASSIGN_OR_RETURN(const runtime::Function function, code.GetFunction(made.name));
    LATHE_RETURN_IF_ERROR(
        function.TryCallPacked(values.data(), static_cast<int32_t>(values.size())).status());
    BisectArguments found = inner.expected;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t at = found.arguments.size() - outputs.size() + i;
      found.arguments[at] = ArgumentOf(outputs[i], "result");
    }
    const std::string difference = driver::Compare(inner.expected, found, how.tolerance);
    if (!difference.empty()) {
      Changed(program.name + ": code", difference);
      report_.before = ir::ToText(call.group, {.max_data = 0});
      return absl::OkStatus();
    }
    Add(program.name, BisectStage::kSame);
    return absl::OkStatus();
  }

  absl::Status WholePlan(const CompiledGraph& compiled) {
    LATHE_ASSIGN_OR_RETURN(auto executable, LoadGraph(compiled));
    runtime::graph::Context context(executable);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      LATHE_RETURN_IF_ERROR(context.SetInput(static_cast<int>(i), inputs_[i].tensor));
    }
    LATHE_RETURN_IF_ERROR(context.Run());
    Tensors found;
    for (size_t i = 0; i < context.plan().outputs.size(); ++i) {
      LATHE_ASSIGN_OR_RETURN(Tensor output, context.GetOutput(static_cast<int>(i)));
      found.push_back(std::move(output));
    }
    const std::string difference = DifferenceFrom(found);
    if (difference.empty()) {
      Add("plan", BisectStage::kSame);
    } else {
      Changed("plan", difference);
    }
    return absl::OkStatus();
  }

  const ir::GraphModule& module_;
  const GraphFuncRef func_;
  const Values& inputs_;
  const target::Target& target_;
  const GraphBuildOptions& options_;
  Tensors expected_;
  GraphFuncRef fused_;
  std::set<std::string> seen_;  // groups whose kernels were searched
  BisectReport report_;
};

}  // namespace

absl::StatusOr<BisectReport> BisectGraph(const ir::GraphModule& module, const std::string& function,
                                         const Values& inputs, const target::Target& target,
                                         const GraphBuildOptions& options) {
  return Bisection(module, function, inputs, target, options).Run();
}

}  // namespace lathe::graph
