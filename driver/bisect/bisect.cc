#include "driver/bisect/bisect.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/float_formats.h"
#include "base/poll.h"
#include "driver/target_context.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/constants.h"
#include "lower/device/split_device.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "te/evaluator.h"

namespace lathe::driver {
namespace {

using Argument = BisectArguments::Argument;

// Thrown to leave the pipeline once the culprit is found.
struct Found {};

std::vector<ir::InterpValue> ValuesOf(BisectArguments& arguments) {
  std::vector<ir::InterpValue> out;
  for (Argument& argument : arguments.arguments) {
    if (argument.dtype.is_void()) {
      out.push_back(argument.scalar);
    } else {
      out.emplace_back(ir::InterpTensor::Of(argument.bytes.data(), argument.dtype, argument.shape));
    }
  }
  return out;
}

double NumberAt(const Argument& argument, int64_t index) {
  const DataType type = argument.dtype.element_of();
  const auto bytes = static_cast<size_t>(type.bytes());
  uint64_t bits = 0;
  std::memcpy(&bits, argument.bytes.data() + static_cast<size_t>(index) * bytes, bytes);
  if (type.is_float()) return DecodeFloat(bits, type);
  const auto unused = static_cast<int>(64 - 8 * bytes);
  if (type.is_uint() || type.is_bool()) return static_cast<double>(bits);
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

double ToleranceFor(DataType type, Tolerance tolerance) {
  if (!type.is_float()) return 0;
  if (tolerance.relative >= 0) return tolerance.relative;
  // The distance from 1 to the next number of the format.
  double step = 1;
  while (RoundToType(1 + step / 2, type) != 1) step /= 2;
  return (type.bits() > 16 ? 128 : 16) * step;
}

std::string ShowNumber(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// Converts a position in row-major order to "[i, j]".
std::string ShowIndex(int64_t index, const std::vector<int64_t>& shape) {
  std::string out;
  for (size_t d = shape.size(); d-- > 0;) {
    out = std::to_string(index % shape[d]) + (out.empty() ? "" : ", ") + out;
    index /= shape[d];
  }
  return "[" + out + "]";
}

std::string CompareTensor(const Argument& expected, const Argument& found, Tolerance tolerance) {
  if (expected.bytes == found.bytes) return "";
  int64_t count = 1;
  for (const int64_t extent : expected.shape) count *= extent;
  const DataType type = expected.dtype.element_of();
  // The lanes of an element are adjacent.
  count *= expected.dtype.lanes();
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = std::fabs(NumberAt(expected, i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  const double allowed = ToleranceFor(type, tolerance) * largest;
  const auto bytes = static_cast<size_t>(type.bytes());
  int64_t different = 0, first = -1;
  for (int64_t i = 0; i < count; ++i) {
    const size_t at = static_cast<size_t>(i) * bytes;
    if (std::memcmp(expected.bytes.data() + at, found.bytes.data() + at, bytes) == 0) continue;
    if (type.is_float()) {
      const double a = NumberAt(expected, i), b = NumberAt(found, i);
      if (a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= allowed) continue;
    }
    if (first < 0) first = i;
    ++different;
  }
  if (first < 0) return "";
  return expected.name + ShowIndex(first / expected.dtype.lanes(), expected.shape) + " is " +
         ShowNumber(NumberAt(found, first)) + ", expected " +
         ShowNumber(NumberAt(expected, first)) + "; " + std::to_string(different) + " of " +
         std::to_string(count) + " elements differ";
}

std::string NotesOf(const Error& error) {
  const Diagnostic& diagnostic = error.diagnostic();
  std::string out = "error[" + std::string(error.name()) + "]: " + diagnostic.message;
  if (!diagnostic.expected.empty()) out += "\n  expected: " + diagnostic.expected;
  if (!diagnostic.found.empty()) out += "\n  found: " + diagnostic.found;
  for (const std::string& note : diagnostic.notes) out += "\n  note: " + note;
  return out;
}

class Search {
 public:
  Search(const schedule::Loaded& program, const BisectArguments& arguments,
         const BisectOptions& options)
      : program_(program), arguments_(arguments), options_(options) {}

  // Computes the expected results from the definition. If the definition cannot be computed, the
  // schedule's nest gives the expected results.
  void Define(const ir::Module& nest) {
    try {
      report_.expected = ComputeDefinition(program_, arguments_, options_.interpret);
      report_.stages.push_back({"definition", BisectStage::kComputed});
      Check("schedule", {}, nest);
    } catch (const Error& error) {
      if (error.name() != std::string("evaluate-unsupported")) throw;
      report_.expected = arguments_;
      const std::vector<ir::InterpValue> values = ValuesOf(report_.expected);
      ir::Interpret(nest, program_.name, values, options_.interpret);
      report_.stages.push_back({"schedule", BisectStage::kComputed});
    }
  }

  // Throws Found if `after` gives other results or fails.
  void Check(const std::string& name, const ir::Module& before, const ir::Module& after) {
    if (before && before.same_as(after)) {
      report_.stages.push_back({name, BisectStage::kUnchanged});
      return;
    }
    BisectStage stage{name, BisectStage::kSame};
    BisectArguments found = arguments_;
    try {
      const std::vector<ir::InterpValue> values = ValuesOf(found);
      ir::Interpret(after, program_.name, values, options_.interpret);
      report_.what = Compare(report_.expected, found, options_.tolerance);
      if (!report_.what.empty()) stage.state = BisectStage::kChanged;
    } catch (const Interruption&) {
      throw;
    } catch (const Error& error) {
      stage.state = BisectStage::kFailed;
      report_.what = NotesOf(error);
    }
    report_.stages.push_back(stage);
    if (stage.state == BisectStage::kSame) return;
    report_.changed = true;
    if (before) {
      Difference difference = SmallestDifference(before, after);
      report_.before = std::move(difference.before);
      report_.after = std::move(difference.after);
    } else {
      report_.after = ir::ToText(after);
    }
    throw Found();
  }

  // Runs the passes. A pass that throws counts as failed. `host` contains the functions that call
  // the module's functions, if the module does not call them itself.
  ir::Module Run(ir::Module module, std::span<const lower::Pass> passes,
                 const lower::PassContext& base, const ir::Module& host = {}) {
    for (const lower::Pass& pass : passes) {
      lower::PassContext context = base;
      context.after_pass = nullptr;
      ir::Module after;
      try {
        after = lower::RunPasses(module, std::span(&pass, 1), context);
      } catch (const Interruption&) {
        throw;
      } catch (const Error& error) {
        report_.stages.push_back({pass.name, BisectStage::kFailed});
        report_.changed = true;
        report_.what = NotesOf(error);
        report_.before = ir::ToText(module);
        throw Found();
      }
      if (base.disabled.contains(std::string_view(pass.name))) continue;
      if (module.same_as(after)) {
        Check(pass.name, module, after);
      } else {
        Check(pass.name, Joined(host, module), Joined(host, after));
      }
      module = std::move(after);
    }
    return module;
  }

  BisectReport& report() { return report_; }

 private:
  static ir::Module Joined(const ir::Module& host, const ir::Module& module) {
    if (!host) return module;
    std::vector<ir::Func> functions = host->functions;
    functions.insert(functions.end(), module->functions.begin(), module->functions.end());
    return ir::MakeModule(std::move(functions), host->attrs);
  }

  const schedule::Loaded& program_;
  const BisectArguments& arguments_;
  const BisectOptions& options_;
  BisectReport report_;
};

}  // namespace

BisectArguments ComputeDefinition(const schedule::Loaded& program, BisectArguments arguments,
                                  const ir::InterpretOptions& options) {
  const std::vector<ir::InterpValue> values = ValuesOf(arguments);
  te::Evaluate(program.args, values, options);
  return arguments;
}

std::string Compare(const BisectArguments& expected, const BisectArguments& found,
                    Tolerance tolerance) {
  for (size_t i = 0; i < expected.arguments.size(); ++i) {
    if (expected.arguments[i].dtype.is_void()) continue;
    std::string what = CompareTensor(expected.arguments[i], found.arguments[i], tolerance);
    if (!what.empty()) return what;
  }
  return "";
}

BisectPipelines AllPipelines() {
  return {lower::TilePasses(), lower::TargetPasses(), lower::FlatPasses(), lower::DevicePasses(),
          lower::KernelPasses()};
}

namespace {

ir::Module NestOf(const schedule::Loaded& program) {
  return ir::MakeModule(
      {ir::WithAttr(schedule::LowerSchedule(program.schedule, program.args, program.name),
                    ir::func_attr::kIsEntry, ir::Bool(true))});
}

bool HasThreadLoops(const ir::Module& module) {
  bool found = false;
  ir::ForEach<ir::For>(
      module, [&](const ir::For& loop) { found = found || loop.for_kind == ir::ForKind::kThread; });
  return found;
}

}  // namespace

bool HasThreads(const schedule::Loaded& program) { return HasThreadLoops(NestOf(program)); }

BisectReport Bisect(const schedule::Loaded& program, const BisectArguments& arguments,
                    const BisectPipelines& pipelines, const target::Target& target,
                    const BisectOptions& options) {
  Search search(program, arguments, options);
  const lower::PassContext for_target = ContextFor(target, options.context);
  try {
    ir::Module module = NestOf(program);
    const bool threads = HasThreadLoops(module);
    search.Define(module);
    module = search.Run(std::move(module), pipelines.tile, options.context);
    module = lower::GatherConstants(module);
    if (!threads) {
      module = search.Run(std::move(module), pipelines.target, for_target);
      search.Run(std::move(module), pipelines.flat, for_target);
    } else {
      module = search.Run(std::move(module), pipelines.device, for_target);
      const lower::SplitModules parts = lower::Separate(module);
      search.Run(parts.device, pipelines.kernel, for_target, parts.host);
    }
  } catch (const Found&) {
  }
  return std::move(search.report());
}

}  // namespace lathe::driver
