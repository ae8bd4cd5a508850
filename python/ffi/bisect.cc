// Bisection from Python: which step of the compiler changed an answer?
#include "driver/bisect/bisect.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "python/ffi/boxes.h"
#include "python/ffi/context.h"
#include "python/ffi/ffi.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "schedule/trace.h"

namespace lathe::python {
namespace {

using driver::BisectArguments;
using driver::BisectReport;

using runtime::Value;
using Values = std::vector<Value>;

const char* StateName(driver::BisectStage::State state) {
  switch (state) {
    case driver::BisectStage::kComputed:
      return "computed";
    case driver::BisectStage::kUnchanged:
      return "unchanged";
    case driver::BisectStage::kSame:
      return "same";
    case driver::BisectStage::kChanged:
      return "changed";
    case driver::BisectStage::kFailed:
      return "failed";
  }
  return "";
}

std::string NameOf(const ir::NodeRef& argument) {
  if (const auto* tensor = ir::As<ir::TensorNode>(argument)) return tensor->op->name;
  if (const auto* var = ir::As<ir::VarNode>(argument)) return var->name;
  return "argument";
}

// Compact copies of the values. `values` are tensors on the host and numbers.
BisectArguments Collect(const std::vector<ir::NodeRef>& args, const Values& values) {
  if (args.size() != values.size()) {
    throw Error(Diagnostic{.name = "bisect-argument-count",
                           .message = "each argument of the program has a value",
                           .expected = std::to_string(args.size()) + " values",
                           .found = std::to_string(values.size())});
  }
  BisectArguments out;
  for (size_t i = 0; i < args.size(); ++i) {
    BisectArguments::Argument argument;
    argument.name = NameOf(args[i]);
    if (values[i].Is<runtime::Tensor>()) {
      const auto tensor = values[i].As<runtime::Tensor>();
      argument.dtype = tensor.dtype();
      argument.shape.assign(tensor.shape().begin(), tensor.shape().end());
      argument.bytes.resize(tensor.num_bytes());
      runtime::ThrowIfError(tensor.CopyToHost(argument.bytes.data(), argument.bytes.size()));
    } else if (values[i].c().kind == LATHE_VALUE_FLOAT) {
      argument.scalar = ir::InterpValue::Float(values[i].As<double>());
    } else {
      argument.scalar = ir::InterpValue::Int(values[i].As<int64_t>());
    }
    out.arguments.push_back(std::move(argument));
  }
  return out;
}

}  // namespace

void RegisterBisect() {
  // Returns [[[step, state]...], the difference or "", the statement before, after]. The values are
  // only read; the runs use copies.
  Def("driver.bisect", [](const ScheduleRef& s, const std::vector<ir::NodeRef>& args,
                          const std::string& name, const Values& values, const TargetRef& target,
                          double tolerance, bool run_code, const Values& context) {
    const schedule::Loaded program =
        schedule::FromProgram(schedule::ToProgram(s->item, args, name));
    driver::BisectOptions options;
    options.context = ContextOf(context);
    options.tolerance.relative = tolerance;
    const BisectArguments given = Collect(args, values);
    BisectReport report =
        driver::Bisect(program, given, driver::AllPipelines(), target->item, options);
    if (!report.changed && run_code && !driver::HasThreads(program)) {
      const runtime::Module module = OrThrow(driver::Build(
          driver::Lower(program.schedule, program.args, program.name, options.context),
          target->item, options.context));
      Values copies;
      for (const Value& value : values) {
        if (value.Is<runtime::Tensor>()) {
          copies.emplace_back(OrThrow(value.As<runtime::Tensor>().Clone()));
        } else {
          copies.push_back(value);
        }
      }
      std::vector<lathe_value> raw;
      for (const Value& value : copies) raw.push_back(value.c());
      runtime::ThrowIfError(OrThrow(module.GetFunction(program.name))
                                .TryCallPacked(raw.data(), static_cast<int32_t>(raw.size()))
                                .status());
      report.what = driver::Compare(report.expected, Collect(args, copies), options.tolerance);
      report.stages.push_back({"code", report.what.empty() ? driver::BisectStage::kSame
                                                           : driver::BisectStage::kChanged});
    }
    Values stages;
    for (const driver::BisectStage& stage : report.stages) {
      Values one;
      one.emplace_back(stage.name);
      one.emplace_back(std::string(StateName(stage.state)));
      stages.emplace_back(std::move(one));
    }
    Values out;
    out.emplace_back(std::move(stages));
    out.emplace_back(report.what);
    out.emplace_back(report.before);
    out.emplace_back(report.after);
    return out;
  });
}

}  // namespace lathe::python
