#include "graph/check/check_passes.h"

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/rewrite.h"

namespace lathe::graph {
namespace {

GraphFuncRef FunctionOf(const ir::GraphModule& module, const std::string& name) {
  for (const GraphFuncRef& func : module->functions) {
    if (func->name == name) return func;
  }
  throw Error(Diagnostic{.name = "graph-no-function",
                         .message = "the graph has no function `" + name + "`"});
}

bool Hold(const std::vector<SizeAssumption>& assumptions, const ir::VarMap& sizes) {
  arith::Analyzer analyzer;
  return std::ranges::all_of(assumptions, [&](const SizeAssumption& one) {
    const ir::Expr a_value = analyzer.Simplify(ir::Substitute(one.a, sizes)),
                   b_value = analyzer.Simplify(ir::Substitute(one.b, sizes));
    const int64_t *a = ir::AsConstInt(a_value), *b = ir::AsConstInt(b_value);
    if (a == nullptr || b == nullptr) return false;
    return one.kind == SizeAssumption::Kind::kEqual ? *a == *b : *a <= *b;
  });
}

}  // namespace

PassCheck::PassCheck(ir::GraphModule module, const std::string& function,
                     const std::vector<int64_t>& sizes, uint64_t seed)
    : module_(std::move(module)),
      func_(FunctionOf(module_, function)),
      seed_(seed),
      inputs_(RandomInputs(*func_, sizes, seed)),
      expected_(Interpreted(func_, inputs_, module_)) {}

void PassCheck::After(std::string_view pass, const GraphFuncRef& after) {
  ++passes_;
  const std::string difference =
      Difference(Interpreted(after, inputs_, module_), expected_,
                 [this] { return Noisy(func_, inputs_, seed_, module_); });
  if (difference.empty()) return;
  throw Error(Diagnostic{
      .name = "graph-pass-differs",
      .message = "the pass `" + std::string(pass) + "` changed a result of `" + func_->name + "`",
      .expected = "the same values before and after each pass",
      .found = difference,
      .help = "this is a bug in Lathe: report it with the graph; `--disable " + std::string(pass) +
              "` leaves the pass out"});
}

std::vector<int64_t> ChooseSizes(const ir::GraphFunc& func,
                                 const std::map<std::string, int64_t>& given) {
  for (const auto& [name, value] : given) {
    const auto is_it = [&](const ir::Var& size) { return size->name == name; };
    if (std::ranges::any_of(func.sizes, is_it)) continue;
    std::string sizes;
    for (const ir::Var& size : func.sizes) {
      sizes += (sizes.empty() ? "`" : ", `") + size->name + "`";
    }
    throw Error(Diagnostic{.name = "graph-sizes",
                           .message = "`" + name + "` is no size of `" + func.name + "`",
                           .expected = sizes.empty() ? "nothing: it has no sizes" : sizes,
                           .found = "`" + name + "`"});
  }
  const std::vector<SizeAssumption> assumptions = AssumptionsOf(func);
  for (const int64_t number : {5, 4, 8, 3, 6, 2, 1, 7, 16, 12, 32, 64}) {
    std::vector<int64_t> sizes;
    ir::VarMap map;
    for (const ir::Var& size : func.sizes) {
      const auto at = given.find(size->name);
      sizes.push_back(at == given.end() ? number : at->second);
      map.emplace(size, Int64(sizes.back()));
    }
    if (Hold(assumptions, map)) return sizes;
  }
  throw Error(
      Diagnostic{.name = "graph-sizes",
                 .message = "no sizes were found that the operators of `" + func.name + "` allow",
                 .expected = "sizes of which holds: " + assumptions[0].what,
                 .help = "give each size: `--extent NAME=VALUE`"});
}

}  // namespace lathe::graph
