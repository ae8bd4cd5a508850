#include "tests/prove/check.h"

#include <algorithm>
#include <functional>

#include "arith/analyzer.h"
#include "base/error.h"
#include "driver/compile.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/pipeline.h"
#include "schedule/bounds.h"
#include "schedule/loop_nest.h"
#include "schedule/normalize.h"
#include "schedule/trace.h"
#include "target/target.h"
#include "tests/check/check_passes.h"
#include "tests/prove/calls.h"
#include "tests/prove/claims.h"
#include "tests/prove/features.h"
#include "tests/prove/illegal.h"
#include "tests/prove/kernels.h"

namespace lathe::prove {
namespace {

// Diagnostics that say that a schedule is impossible. All others mean that lowering has a bug.
bool IsRefusal(const std::string& name) {
  return name.starts_with("schedule-") || IsKernelRefusal(name) || name == "vectorize-extent" ||
         name == "unroll-extent" || name == "pipeline-refused" || name == "prove-too-long";
}

void CheckTrace(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                const ir::Func& func) {
  const std::string text = ir::ToText(schedule::ToProgram(schedule, args, "f"));
  const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text));
  const ir::Func again = schedule::LowerSchedule(loaded.schedule, loaded.args, "f");
  if (!ir::StructuralEqual(func, again, true))
    throw Failed{"trace", ir::StructuralDifference(func, again, true)};
}

// Counts the conditions of the loop nest. All except those of reductions are bound guards, which
// are marked likely (S3).
int64_t CountGuards(const schedule::Schedule& schedule, const ir::Func& func) {
  int64_t guards = 0;
  bool unlikely = false;
  ir::PostOrder(func, [&](const ir::Node& node) {
    const auto* branch = ir::As<ir::If>(&node);
    if (branch == nullptr) return;
    ++guards;
    std::vector<ir::Expr> rest = {branch->condition};
    while (!rest.empty()) {
      const ir::Expr part = rest.back();
      rest.pop_back();
      if (const auto* both = ir::As<ir::And>(part)) {
        rest.push_back(both->a);
        rest.push_back(both->b);
        continue;
      }
      const auto* call = ir::As<ir::Call>(part);
      const bool likely = call != nullptr && call->op == "likely";
      // A condition that is already decided is folded to a constant.
      unlikely = unlikely || (!likely && ir::AsConstInt(part) == nullptr);
    }
  });
  bool conditions = false;
  for (const Ref<schedule::Stage>& stage : schedule->stages) {
    // A store predicate is no bound guard (S3). Nor are the conditions of a tensor intrinsic's
    // call, or the condition under which a rolling buffer keeps elements of the iteration before.
    conditions = conditions || stage->store_predicate || stage->rolling;
    // Nor is the condition that selects which of a stage's threads store.
    conditions = conditions || !stage->env_threads.empty();
    for (const auto& [axis, attr] : stage->leaf_attrs) conditions = conditions || attr.intrin;
    const auto* compute = ir::As<ir::ComputeOp>(stage->op);
    if (compute == nullptr) continue;
    for (const ir::Expr& value : compute->body) {
      const auto* reduce = ir::As<ir::Reduce>(value);
      conditions = conditions || (reduce != nullptr && !ir::IsConstInt(reduce->condition, 1));
    }
  }
  if (unlikely && !conditions) throw Failed{"guards", "a bound guard is not marked likely"};
  return guards;
}

bool HasUnevenSplit(const schedule::Schedule& schedule) {
  const schedule::Schedule normal = schedule::Normalize(schedule);
  const schedule::Bounds bounds = schedule::InferBounds(normal);
  for (const Ref<schedule::Stage>& stage : normal->stages) {
    for (const schedule::Relation& relation : stage->relations) {
      if (relation.kind != schedule::Relation::kSplit || !bounds.Has(relation.parent)) continue;
      const int64_t* whole = ir::AsConstInt(bounds[relation.parent]->extent);
      const int64_t* inner = ir::AsConstInt(bounds[relation.inner]->extent);
      const int64_t* outer = ir::AsConstInt(bounds[relation.outer]->extent);
      if (whole == nullptr || inner == nullptr || outer == nullptr || *inner * *outer != *whole)
        return true;
    }
  }
  return false;
}

// Counts how many statements run, at most.
class WorkCounter final : public ir::Visitor {
 public:
  WorkCounter(const std::vector<ir::Var>& vars, const std::vector<int64_t>& sizes) {
    for (size_t i = 0; i < vars.size(); ++i)
      analyzer_.Bind(vars[i], ir::Const(sizes[i], vars[i]->dtype));
  }
  double work = 0;

 protected:
  bool Enter(const ir::Node& node) override {
    if (ir::IsExpr(&node)) return false;
    if (const auto* loop = ir::As<ir::For>(&node)) {
      analyzer_.Bind(loop->var, ir::MakeRange(loop->min, loop->extent));
      // An extent about which nothing is known is a wrong one, not a long loop. So it must be run.
      const int64_t bound = analyzer_.Bound(loop->extent).max;
      const bool known = bound < arith::ConstBound::OfType(loop->extent->dtype).max;
      const double most = known ? static_cast<double>(bound) : 1.0;
      trips_.push_back(trips_.back() * std::max(most, 1.0));
    }
    if (node.node_kind() == ir::NodeKind::kStore) work += trips_.back();
    return true;
  }
  void Leave(const ir::Node& node) override {
    if (ir::As<ir::For>(&node) != nullptr) trips_.pop_back();
  }

 private:
  arith::Analyzer analyzer_;
  std::vector<double> trips_ = {1};
};

void RequireLittleWork(const ir::Func& func, const std::vector<ir::Var>& vars,
                       const CheckOptions& options) {
  WorkCounter counter(vars, options.sizes[0]);
  counter.Visit(func->body);
  const double most = options.most_work > 0 ? options.most_work : options.kernels ? 2e5 : 2e6;
  if (counter.work > most)
    throw Error(Diagnostic{.name = "prove-too-long", .message = "interpreting it takes too long"});
}

// A target that has all element types, or one that lacks some, depending on the seed.
lower::PassContext SomeTarget(const CheckOptions& options) {
  lower::PassContext context;
  const uint64_t lacking = options.input_seed % 4;
  // Functions that are written out round differently in wider types.
  if (lacking == 0 || options.real_inputs) return context;
  context.supports = [lacking](std::string_view operation, DataType dtype) {
    const bool narrow = (dtype.is_float() && dtype.bits() < 32) ||
                        (dtype.is_integral() && !dtype.is_bool() && dtype.bits() < 8);
    if (operation == "arithmetic") return !narrow;
    if (operation == "cast") return !narrow || lacking == 1;
    return !dtype.is_bool() || lacking != 3;  // vectors
  };
  return context;
}

// A target may lack something that cannot be expressed by what it has (addresses, several elements
// in one byte). Then lowering says so, and the program is lowered for a target that has all types.
void ForSomeTarget(const CheckOptions& options, CheckResult& result,
                   const std::function<void(const lower::PassContext&)>& lower) {
  try {
    lower(SomeTarget(options));
  } catch (const Error& error) {
    if (error.diagnostic().name != "legalize-unsupported") throw;
    ++result.illegal["element type without another form"];
    lower({});
  }
}

void Check(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
           const std::vector<ir::Var>& vars, const CheckOptions& options, std::string& where,
           CheckResult& result) {
  where = "lower";
  const ir::Func func = schedule::LowerSchedule(schedule, args, "f");
  RequireLittleWork(func, vars, options);
  result.guards = CountGuards(schedule, func);
  result.uneven_split = HasUnevenSplit(schedule);
  result.features = FeaturesOf(schedule);
  const Inputs inputs{args, vars, options.input_seed, options.arithmetic, options.real_inputs};
  if (options.kernels) {
    where = "trace";
    CheckTrace(schedule, args, func);
    where = "kernels";
    std::vector<std::vector<int64_t>> sizes;
    for (const std::vector<int64_t>& one : options.sizes)
      sizes.push_back(Run(func, inputs, one).sizes());
    CheckKernels(schedule, args, sizes, options.input_seed, &result.illegal);
    return;
  }
  std::vector<Run> runs;
  for (const std::vector<int64_t>& sizes : options.sizes) {
    runs.emplace_back(func, inputs, sizes);
    where = "evaluate";
    runs.back().Expect();
    where = "loops";
    runs.back().Interpret();
  }
  where = "trace";
  CheckTrace(schedule, args, func);
  where = "illegal";
  for (int i = 0; i < options.illegal; ++i)
    CheckIllegal(schedule, args, options.input_seed + static_cast<uint64_t>(i), &result.illegal);
  if (options.passes) {
    where = "passes";
    std::vector<lower::Pass> passes = lower::AllPasses();
    // Elementary functions that are written out round differently. Run allows for that.
    if (options.real_inputs)
      std::erase_if(passes,
                    [](const lower::Pass& p) { return std::string(p.name) == "intrinsics"; });
    ForSomeTarget(options, result, [&](const lower::PassContext& context) {
      lower::CheckPasses(ir::MakeModule({func}), passes, runs.back().sizes(), options.input_seed,
                         context);
    });
  }
  if (options.lowered) {
    where = "lowered";
    ForSomeTarget(options, result, [&](const lower::PassContext& context) {
      const ir::Module lowered =
          lower::RunPasses(ir::MakeModule({func}), lower::AllPasses(), context);
      for (const Run& run : runs) run.Interpret(lowered, "lowered");
    });
  }
  if (options.checked && !options.real_inputs) {
    where = "checked build";
    const uint64_t seed = options.input_seed;
    if (CheckClaims(schedule, args, runs[seed % runs.size()], seed))
      ++result.illegal["false claim, found by the checked build"];
  }
  if (options.misuses >= 0 && !options.real_inputs) {
    where = "call";
    CheckCalls(func, inputs, options.sizes[options.input_seed % options.sizes.size()],
               options.input_seed, options.misuses, options.compile);
  }
  if (options.compile) {
    where = "compile";
    auto module =
        driver::Build(driver::Lower(schedule, args, "f", {}), target::ParseTarget("llvm"), {});
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
    if (IsRefusal(e.name()) && where != "trace" && where != "evaluate" && where != "run" &&
        where != "illegal") {
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
