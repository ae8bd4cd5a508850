#include "lower/constants.h"

#include <map>
#include <set>

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

Module GatherConstants(const Module& module) {
  std::vector<ConstantRef> table = ConstantsIn(module->attrs);
  std::vector<Func> functions;
  for (const Func& func : module->functions) {
    const std::vector<ConstantRef> own = ConstantsIn(func->attrs);
    if (own.empty()) {
      functions.push_back(func);
      continue;
    }
    std::vector<int64_t> index;
    for (const ConstantRef& constant : own) index.push_back(IndexOfConstant(&table, constant));
    const Stmt body = Rewrite(func->body, [&](const AllocConst& use) -> Stmt {
      const auto at = static_cast<size_t>(use.index);
      LATHE_CHECK(at < index.size()) << "`" << use.buffer->name << "` has no constant";
      return index[at] == use.index ? Stmt() : MakeAllocConst(use.buffer, index[at], use.body);
    });
    functions.push_back(
        MakeFunc(func->name, func->params, body, WithoutConstants(func->attrs), func->return_type));
  }
  Dict attrs = module->attrs;
  for (size_t i = 0; i < table.size(); ++i) attrs[ConstantKey(static_cast<int64_t>(i))] = table[i];
  if (table.size() == ConstantsIn(module->attrs).size()) {
    bool same = true;
    for (size_t i = 0; i < functions.size(); ++i)
      same = same && functions[i].same_as(module->functions[i]);
    if (same) return module;
  }
  return MakeModule(std::move(functions), std::move(attrs));
}

Module DropUnusedConstants(const Module& module) {
  const std::vector<ConstantRef> table = ConstantsIn(module->attrs);
  std::set<int64_t> used;
  ForEach<AllocConst>(module, [&](const AllocConst& use) { used.insert(use.index); });
  if (used.size() == table.size()) return module;
  Dict attrs = WithoutConstants(module->attrs);
  std::map<int64_t, int64_t> renumbered;
  for (const int64_t index : used) {
    const auto at = static_cast<int64_t>(renumbered.size());
    attrs[ConstantKey(at)] = table.at(static_cast<size_t>(index));
    renumbered[index] = at;
  }
  std::vector<Func> functions;
  for (const Func& func : module->functions) {
    functions.push_back(WithBody(func, Rewrite(func->body, [&](const AllocConst& use) -> Stmt {
                                   const int64_t index = renumbered.at(use.index);
                                   return index == use.index
                                              ? Stmt()
                                              : MakeAllocConst(use.buffer, index, use.body);
                                 })));
  }
  return MakeModule(std::move(functions), std::move(attrs));
}

Separated SeparateConstants(const Module& module) {
  std::vector<ConstantRef> constants = ConstantsIn(module->attrs);
  if (constants.empty()) return {module, {}};
  return {MakeModule(module->functions, WithoutConstants(module->attrs)), std::move(constants)};
}

}  // namespace lathe::lower
