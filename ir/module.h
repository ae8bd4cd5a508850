// Functions and modules.
#pragma once

#include <string>
#include <vector>

#include "ir/stmt.h"

namespace lathe::ir {

// A parameter is a Var (a scalar or a handle) or a Buffer (a tensor argument). A symbolic extent of
// a Buffer is bound at the first parameter that mentions it (S39). After argument binding
// (lower/bind_arguments) all parameters are Vars.
//
// The attributes that the compiler knows are listed in ir/names.h (`func_attr`).
struct FuncNode final : NodeOf<FuncNode, Node> {
  std::string name;
  std::vector<NodeRef> params;
  DataType return_type = DataType::Void();
  Dict attrs;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &FuncNode::name);
    f.Define("params", &FuncNode::params);
    f.Field("return_type", &FuncNode::return_type);
    f.Field("attrs", &FuncNode::attrs);
    f.Field("body", &FuncNode::body);
  }
};

// Names of functions are unique. The data of constants (AllocConst) is beside the IR, see
// ir/constants.h. The attributes that the compiler knows are listed in ir/names.h (`module_attr`).
struct ModuleNode final : NodeOf<ModuleNode, Node> {
  std::vector<Func> functions;
  Dict attrs;
  template <class F>
  static void Fields(F f) {
    f.Field("functions", &ModuleNode::functions);
    f.Field("attrs", &ModuleNode::attrs);
  }
};

Func MakeFunc(std::string name, std::vector<NodeRef> params, Stmt body, Dict attrs = {},
              DataType return_type = DataType::Void());
// `func` with another body; `func` itself if the body is the same.
Func WithBody(const Func& func, Stmt body);
Func WithAttr(const Func& func, std::string key, NodeRef value);
Module MakeModule(std::vector<Func> functions, Dict attrs = {});
Module WithFunctions(const Module& module, std::vector<Func> functions);
// The function of that name; null if there is none.
Func FindFunc(const Module& module, std::string_view name);

// A string or integer attribute; `fallback` if it is absent or of another kind.
std::string StringAttr(const Dict& attrs, std::string_view key, std::string fallback = "");
int64_t IntAttr(const Dict& attrs, std::string_view key, int64_t fallback = 0);

}  // namespace lathe::ir
