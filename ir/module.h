// Functions and modules.
#pragma once

#include <string>
#include <vector>

#include "ir/stmt.h"

namespace lathe::ir {

// A parameter is a Var (a scalar or a handle) or a Buffer (a tensor argument; its symbolic extents
// bind at the first parameter that mentions them, S39). After argument binding
// (lower/bind_arguments) all are Vars.
//
// Attributes the compiler knows: "target" (string), "calling_convention" ("packed",
// "parallel_body", "unchecked", "kernel", "plain"), "is_entry" (bool), "noalias" (bool).
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

// Names are unique. Constants (AllocConst) travel beside the IR, see lower/constants.
// Attributes: "metadata" (string, JSON), "stage" ("te", "tile", "flat").
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
// `func` with another body; itself if the body is the same.
Func WithBody(const Func& func, Stmt body);
Func WithAttr(const Func& func, std::string key, NodeRef value);
Module MakeModule(std::vector<Func> functions, Dict attrs = {});
Module WithFunctions(const Module& module, std::vector<Func> functions);
// Null if there is none of that name.
Func FindFunc(const Module& module, std::string_view name);

// A string or integer attribute; the fallback where it is absent or of another kind.
std::string StringAttr(const Dict& attrs, std::string_view key, std::string fallback = "");
int64_t IntAttr(const Dict& attrs, std::string_view key, int64_t fallback = 0);

}  // namespace lathe::ir
