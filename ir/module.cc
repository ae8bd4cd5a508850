#include "ir/module.h"

#include "base/error.h"

namespace lathe::ir {

Func MakeFunc(std::string name, std::vector<NodeRef> params, Stmt body, Dict attrs,
              DataType return_type) {
  Ref<FuncNode> node = Make<FuncNode>();
  node->name = std::move(name);
  node->params = std::move(params);
  node->return_type = return_type;
  node->attrs = std::move(attrs);
  node->body = std::move(body);
  std::string problem = CheckNode(*node);
  LATHE_CHECK(problem.empty()) << problem;
  return node;
}

Func WithBody(const Func& func, Stmt body) {
  if (func->body.same_as(body)) return func;
  return MakeFunc(func->name, func->params, std::move(body), func->attrs, func->return_type);
}

Func WithAttr(const Func& func, std::string key, NodeRef value) {
  Dict attrs = func->attrs;
  attrs[std::move(key)] = std::move(value);
  return MakeFunc(func->name, func->params, func->body, std::move(attrs), func->return_type);
}

Module MakeModule(std::vector<Func> functions, Dict attrs) {
  Ref<ModuleNode> node = Make<ModuleNode>();
  node->functions = std::move(functions);
  node->attrs = std::move(attrs);
  return node;
}

Module WithFunctions(const Module& module, std::vector<Func> functions) {
  bool same = functions.size() == module->functions.size();
  for (size_t i = 0; same && i < functions.size(); ++i) {
    same = functions[i].same_as(module->functions[i]);
  }
  return same ? module : MakeModule(std::move(functions), module->attrs);
}

Func FindFunc(const Module& module, std::string_view name) {
  for (const Func& func : module->functions) {
    if (func->name == name) return func;
  }
  return nullptr;
}

std::string StringAttr(const Dict& attrs, std::string_view key, std::string fallback) {
  auto it = attrs.find(key);
  if (it == attrs.end()) return fallback;
  const auto* text = As<StringImm>(it->second);
  return text != nullptr ? text->value : fallback;
}

int64_t IntAttr(const Dict& attrs, std::string_view key, int64_t fallback) {
  auto it = attrs.find(key);
  if (it == attrs.end()) return fallback;
  const auto* number = As<IntImm>(it->second);
  return number != nullptr ? number->value : fallback;
}

}  // namespace lathe::ir
