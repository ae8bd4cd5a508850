// A compiled graph as one module: kernels, constants, the plan.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "driver/build_module.h"
#include "graph/build.h"
#include "graph/build_parts.h"
#include "graph/merge_compiled.h"
#include "ir/constants.h"
#include "ir/intrinsic_names.h"
#include "ir/module.h"
#include "ir/stmt.h"
#include "lower/option_names.h"
#include "runtime/graph/plan_module.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

// A function that stores the address of each constant (Plan::constants_entry). Equal data are in
// the code once.
ir::Func AddressesOf(const std::vector<Ref<const Blob>>& constants, const std::string& name) {
  const DataType byte = DataType::UInt(8), address = DataType::Int(64);
  std::vector<Ref<const Blob>> data;
  std::vector<std::vector<int64_t>> users;
  std::unordered_map<const Blob*, size_t> known;
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto [at, is_new] = known.try_emplace(constants[i].get(), data.size());
    if (is_new) {
      data.push_back(constants[i]);
      users.emplace_back();
    }
    users[at->second].push_back(static_cast<int64_t>(i));
  }
  // A graph without constants, too, needs a module with code.
  const auto count = std::max<int64_t>(1, static_cast<int64_t>(constants.size()));
  const ir::Buffer out = ir::MakeBuffer("addresses", address, {ir::Int(count)});
  std::vector<ir::Stmt> blocks;
  if (data.empty()) blocks.push_back(ir::MakeStore(out, ir::Int(0, address), {ir::Int(0)}));
  ir::Dict attrs;
  for (size_t i = 0; i < data.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    const auto size = static_cast<int64_t>(data[i]->size());
    const ir::Buffer buffer =
        ir::MakeBuffer("data" + std::to_string(i), byte, {ir::Int(size, address)});
    attrs[ir::ConstantKey(number)] = ir::MakeConstant(byte, {size}, data[i]);
    std::vector<ir::Stmt> stores;
    for (const int64_t user : users[i]) {
      const ir::Expr here = ir::MakeCall(address, ir::intrinsic::kReinterpret, {buffer->data});
      stores.push_back(ir::MakeStore(out, here, {ir::Int(user)}));
    }
    blocks.push_back(ir::MakeAllocConst(buffer, number, ir::MakeSeq(std::move(stores))));
  }
  return ir::MakeFunc(name, {out}, ir::MakeSeq(std::move(blocks)), std::move(attrs),
                      DataType::Void());
}

// What a function says of a constant with a name.
struct NamedData {
  Digest digest;
  std::vector<int64_t> shape;
};
using NamedDataMap = std::unordered_map<std::string, NamedData>;

NamedDataMap NamedDataOf(const ir::GraphModule& module, const std::string& function) {
  NamedDataMap given;
  for (const GraphFuncRef& func : module->functions) {
    if (func->name != function) continue;
    for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
      const auto* constant = ir::As<ir::Constant>(binding->value);
      if (constant != nullptr && !binding->var->name.empty())
        given[binding->var->name] = {constant->data->digest(), ir::ShapeOf(*constant)};
    }
  }
  return given;
}

// A constant keeps its name if its data are those that were given under that name, so that others
// can replace them by name. What passes made of named data is called `name#1`, ...
void NameConstants(const NamedDataMap& given, runtime::graph::Plan& plan) {
  const auto unchanged = [&](const runtime::graph::PlanConstant& constant) {
    const auto at = given.find(constant.name);
    if (at == given.end() || at->second.digest != constant.digest) return false;
    const std::vector<int32_t>& extents = plan.tensors[static_cast<size_t>(constant.tensor)].shape;
    return std::ranges::equal(at->second.shape, extents, [&](int64_t extent, int32_t number) {
      return plan.sizes[static_cast<size_t>(number)].value == extent;
    });
  };
  std::unordered_map<std::string, int> uses;
  std::unordered_set<std::string> changed;
  for (const runtime::graph::PlanConstant& constant : plan.constants) {
    if (++uses[constant.name] > 1 || !unchanged(constant)) changed.insert(constant.name);
  }
  std::unordered_map<std::string, int> numbers;
  for (runtime::graph::PlanConstant& constant : plan.constants) {
    if (!constant.name.empty() && changed.contains(constant.name))
      constant.name += "#" + std::to_string(++numbers[constant.name]);
  }
}

}  // namespace

void CheckGraphTarget(const target::Target& target) {
  if (target.schema->makes_host_code) return;
  throw Error(Diagnostic{.name = "graph-target",
                         .message = "graphs are compiled for processors",
                         .expected = "a target such as `llvm`",
                         .found = "`" + target.ToString() + "`",
                         .help = "the operators alone can be compiled for other targets"});
}

absl::StatusOr<runtime::Module> LoadTogether(driver::Compiled kernels,
                                             const std::vector<NamedConstants>& constants,
                                             const target::Target& target,
                                             const GraphBuildOptions& options) {
  lower::PassContext context = options.context;
  context.Set(lower::option::kEntries, kUncheckedEntries);
  std::vector<ir::Func> functions;
  for (const NamedConstants& named : constants)
    functions.push_back(AddressesOf(named.constants, named.entry));
  LATHE_ASSIGN_OR_RETURN(
      driver::Compiled addresses,
      driver::CompileParts(ir::MakeModule(std::move(functions)), target,
                           plugins::OutputKind::kModule, context,
                           {.cache = options.cache, .threads = options.threads}));
  LATHE_ASSIGN_OR_RETURN(const driver::Compiled code,
                         MergeCompiled(std::move(kernels), std::move(addresses)));
  return driver::Load(code);
}

absl::StatusOr<runtime::Module> BuildGraphModule(ir::GraphModule module,
                                                 const std::string& function,
                                                 const target::Target& target,
                                                 const GraphBuildOptions& options,
                                                 const std::string& name) {
  CheckGraphTarget(target);
  const NamedDataMap given = NamedDataOf(module, function);
  LATHE_ASSIGN_OR_RETURN(CompiledGraph compiled,
                         CompileGraph(std::move(module), function, target, options));
  compiled.plan.name = name;
  NameConstants(given, compiled.plan);
  const std::string entry = name + ".constants";
  if (!compiled.constants.empty()) compiled.plan.constants_entry = entry;
  LATHE_ASSIGN_OR_RETURN(
      runtime::Module made,
      LoadTogether(std::move(compiled.kernels), {{entry, compiled.constants}}, target, options));
  LATHE_ASSIGN_OR_RETURN(const runtime::Module plan,
                         runtime::graph::MakePlanModule(std::move(compiled.plan)));
  made.Import(plan);
  return made;
}

}  // namespace lathe::graph
