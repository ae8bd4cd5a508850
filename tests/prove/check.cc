#include "tests/prove/check.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "base/float_formats.h"
#include "driver/compile.h"
#include "ir/interpreter.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural.h"
#include "ir/walk.h"
#include "lower/check_passes.h"
#include "lower/pipeline.h"
#include "plugins/host/target.h"
#include "runtime/tensor.h"
#include "schedule/loop_nest.h"
#include "schedule/trace.h"
#include "te/evaluator.h"

namespace lathe::prove {
namespace {

using Memory = std::vector<std::vector<char>>;

// What says that a schedule cannot be, rather than that it was got wrong.
bool IsRefusal(const std::string& name) {
  return name.starts_with("schedule-") || name == "vectorize-extent" || name == "unroll-extent";
}

struct Failed {
  std::string where, detail;
};

std::string Element(const char* bytes, DataType dtype) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<size_t>(dtype.bytes()));
  std::ostringstream out;
  if (dtype.is_float()) {
    out << DecodeFloat(bits, dtype);
  } else if (dtype.is_int()) {
    const int unused = 64 - dtype.bits();
    out << (static_cast<int64_t>(bits << unused) >> unused);
  } else {
    out << bits;
  }
  return out.str();
}

// The first difference of two runs, in words; "" where there is none.
std::string Difference(const lower::TestArguments& arguments, const std::vector<ir::NodeRef>& args,
                       const Memory& expected, const Memory& found) {
  for (size_t a = 0; a < expected.size(); ++a) {
    if (expected[a] == found[a]) continue;
    const ir::InterpTensor& view = *arguments.values[a].tensor;
    const auto width = static_cast<size_t>(view.dtype.bytes());
    size_t at = 0;
    while (at < expected[a].size() && expected[a][at] == found[a][at]) ++at;
    auto element = static_cast<int64_t>(at / width);
    std::string index;
    int64_t rest = element;
    for (size_t d = view.shape.size(); d > 0; --d) {
      const int64_t extent = std::max<int64_t>(view.shape[d - 1], 1);
      index = std::to_string(rest % extent) + (index.empty() ? "" : ", ") + index;
      rest /= extent;
    }
    const size_t begin = static_cast<size_t>(element) * width;
    if (begin + width > expected[a].size())
      return "bytes behind the end of argument " + std::to_string(a);
    return ir::RefAs<ir::TensorNode>(args[a])->name() + "[" + index + "]: expected " +
           Element(&expected[a][begin], view.dtype) + ", found " +
           Element(&found[a][begin], view.dtype);
  }
  return "";
}

// One binding of the sizes.
class Run {
 public:
  Run(const ir::Func& func, const std::vector<ir::NodeRef>& args, const std::vector<ir::Var>& vars,
      const std::vector<int64_t>& sizes, uint64_t seed)
      : args_(args), seed_(seed), func_(func) {
    // MakeArguments takes sizes in the order in which the parameters mention the variables.
    std::unordered_map<const ir::Node*, int64_t> values;
    for (size_t i = 0; i < vars.size(); ++i) values[vars[i].get()] = sizes[i];
    std::vector<const ir::Node*> seen;
    auto meet = [&](const ir::Var& var) {
      if (std::find(seen.begin(), seen.end(), var.get()) != seen.end()) return;
      seen.push_back(var.get());
      sizes_.push_back(values.at(var.get()));
    };
    for (const ir::NodeRef& param : func->params) {
      if (ir::Var var = ir::RefAs<ir::VarNode>(param)) {
        meet(var);
        continue;
      }
      for (const ir::Expr& extent : ir::As<ir::BufferNode>(param)->shape) {
        for (const ir::Var& var : ir::FreeVars(extent)) meet(var);
      }
    }
  }

  const std::vector<int64_t>& sizes() const { return sizes_; }
  lower::TestArguments Arguments() const { return lower::MakeArguments(func_, sizes_, seed_); }

  void Expect() {
    lower::TestArguments arguments = Arguments();
    te::Evaluate(args_, arguments.values);
    expected_ = std::move(arguments.memory);
  }
  void Compare(const char* where, const lower::TestArguments& arguments,
               const Memory& found) const {
    const std::string difference = Difference(arguments, args_, expected_, found);
    if (!difference.empty()) throw Failed{where, difference + SizesText()};
  }
  void Interpret() const {
    lower::TestArguments arguments = Arguments();
    ir::Interpret(func_, arguments.values);
    Compare("loops", arguments, arguments.memory);
  }
  void Call(const runtime::Function& function) const {
    lower::TestArguments arguments = Arguments();
    std::vector<runtime::Tensor> tensors;
    std::vector<lathe_value> values;
    for (size_t a = 0; a < arguments.values.size(); ++a) {
      const ir::InterpValue& value = arguments.values[a];
      if (value.kind == LATHE_VALUE_INT) {
        values.push_back(runtime::ValueTraits<int64_t>::Borrow(value.i));
        tensors.emplace_back();
        continue;
      }
      // A copy in memory as aligned as the runtime makes it, with its own end.
      tensors.push_back(*runtime::Tensor::Empty(value.tensor->shape, value.tensor->dtype));
      if (!tensors.back().CopyFromHost(arguments.memory[a].data(), tensors.back().num_bytes()).ok())
        throw Failed{"run", "copying in"};
      values.push_back(runtime::ValueTraits<runtime::Tensor>::Borrow(tensors.back()));
    }
    auto result = function.TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
    if (!result.ok()) throw Failed{"run", std::string(result.status().message()) + SizesText()};
    for (size_t a = 0; a < tensors.size(); ++a) {
      if (tensors[a].get() == nullptr) continue;
      if (!tensors[a].CopyToHost(arguments.memory[a].data(), tensors[a].num_bytes()).ok())
        throw Failed{"run", "copying out"};
    }
    Compare("run", arguments, arguments.memory);
  }

 private:
  std::string SizesText() const {
    std::string out;
    for (int64_t size : sizes_) out += (out.empty() ? " (sizes " : ", ") + std::to_string(size);
    return out.empty() ? out : out + ")";
  }

  const std::vector<ir::NodeRef>& args_;
  uint64_t seed_;
  ir::Func func_;
  std::vector<int64_t> sizes_;
  Memory expected_;
};

void CheckTrace(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                const ir::Func& func) {
  const std::string text = ir::ToText(schedule::ToProgram(schedule, args, "f"));
  const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text));
  const ir::Func again = schedule::LowerSchedule(loaded.schedule, loaded.args, "f");
  if (!ir::StructuralEqual(func, again, true))
    throw Failed{"trace", ir::StructuralDifference(func, again, true)};
}

int64_t CountGuards(const ir::Func& func) {
  int64_t guards = 0;
  ir::PostOrder(func, [&](const ir::Node& node) {
    if (node.node_kind() == ir::NodeKind::kIf) ++guards;
  });
  return guards;
}

void Check(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
           const std::vector<ir::Var>& vars, const CheckOptions& options, std::string& where,
           CheckResult& result) {
  where = "lower";
  const ir::Func func = schedule::LowerSchedule(schedule, args, "f");
  result.guards = CountGuards(func);
  std::vector<Run> runs;
  for (const std::vector<int64_t>& sizes : options.sizes) {
    runs.emplace_back(func, args, vars, sizes, options.input_seed);
    where = "evaluate";
    runs.back().Expect();
    where = "loops";
    runs.back().Interpret();
  }
  where = "trace";
  CheckTrace(schedule, args, func);
  if (options.passes) {
    where = "passes";
    lower::CheckPasses(ir::MakeModule({func}), lower::AllPasses(), runs.back().sizes(),
                       options.input_seed);
  }
  if (options.compile) {
    where = "compile";
    auto module =
        driver::Build(driver::Lower(schedule, args, "f", {}), plugins::ParseTarget("llvm"), {});
    if (!module.ok()) throw Failed{"compile", std::string(module.status().message())};
    auto function = module->GetFunction("f");
    if (!function.ok()) throw Failed{"compile", std::string(function.status().message())};
    where = "run";
    for (const Run& run : runs) run.Call(*function);
  }
}

}  // namespace

CheckResult CheckSchedule(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& size_vars, const CheckOptions& options) {
  CheckResult result;
  std::string where;
  auto fail = [&](std::string at, std::string detail) {
    result.kind = CheckResult::kFailed;
    result.where = std::move(at);
    result.detail = std::move(detail);
  };
  try {
    Check(schedule, args, size_vars, options, where, result);
  } catch (const Failed& e) {
    fail(e.where, e.detail);
  } catch (const Error& e) {
    if (IsRefusal(e.name()) && where != "trace" && where != "evaluate" && where != "run") {
      result.kind = CheckResult::kRefused;
      result.where = e.name();
    } else {
      fail(where + ":" + e.name(), e.what());
    }
  } catch (const std::exception& e) {
    fail(where + ":exception", e.what());
  }
  return result;
}

}  // namespace lathe::prove
