// Statements, functions, modules, and their visitors and rewriters.
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "ir/module.h"
#include "ir/rewrite.h"
#include "ir/stmt.h"
#include "ir/walk.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"

namespace lathe::python {
namespace {

using ir::Expr;
using ir::NodeRef;
using ir::Stmt;
using runtime::Function;
using runtime::Value;

ir::ForKind ForKindOf(const std::string& name) {
  for (size_t i = 0; i < std::size(ir::For::kForKindNames); ++i) {
    if (name == ir::For::kForKindNames[i]) return static_cast<ir::ForKind>(i);
  }
  throw Error(Diagnostic{.name = "for-kind",
                         .message = "`" + name + "` is no kind of loop",
                         .expected = "`serial`, `parallel`, `vectorized`, `unrolled` or `thread`"});
}

// Calls Python for each node: `before` may replace the node before its children are visited,
// `after` gets it with its children already rewritten.
class PythonMutator final : public ir::Mutator {
 public:
  PythonMutator(Function before, Function after, const std::vector<std::string>& only)
      : Mutator(Memo::kPerRoot),
        before_(std::move(before)),
        after_(std::move(after)),
        only_(only.begin(), only.end()) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (!before_ || !Wanted(node)) return nullptr;
    return OrNull(before_(node).As<Maybe<NodeRef>>());
  }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (!after_ || !Wanted(after)) return after;
    NodeRef made = OrNull(after_(after).As<Maybe<NodeRef>>());
    return made ? made : after;
  }

 private:
  bool Wanted(const NodeRef& node) const {
    return only_.empty() || only_.count(ir::NodeKindName(node->node_kind())) != 0;
  }
  Function before_, after_;
  std::unordered_set<std::string> only_;
};

// Like ir::Refresh, but for functions too: their parameters are definitions.
class Refresher final : public ir::Mutator {
 public:
  Refresher() : Mutator(Memo::kPerRoot) {}

 protected:
  void BeforeChild(const ir::Edge& edge) override {
    defining_ = edge.field->role == ir::FieldRole::kDefine;
  }
  NodeRef Enter(const NodeRef& node) override {
    if (node->node_kind() != ir::NodeKind::kVarNode || !defining_) return nullptr;
    return ir::CloneNode(*node);
  }

 private:
  bool defining_ = false;
};

Function OptionalFunction(const Value& value) {
  return value.is_none() ? Function() : value.As<Function>();
}

}  // namespace

void RegisterStmts() {
  Def("tir.make_store",
      [](const ir::Buffer& buffer, const Expr& value, const std::vector<Expr>& indices) {
        return ir::MakeStore(buffer, value, indices);
      });
  Def("tir.make_for",
      [](const ir::Var& var, const Expr& min, const Expr& extent, const std::string& kind,
         const Stmt& body, const std::string& tag, const ir::Dict& annotations) {
        return ir::MakeFor(var, min, extent, ForKindOf(kind), body, tag, annotations);
      });
  Def("tir.make_while",
      [](const Expr& condition, const Stmt& body) { return ir::MakeWhile(condition, body); });
  Def("tir.make_if",
      [](const Expr& condition, const Stmt& then_case, const Maybe<Stmt>& else_case) {
        return ir::MakeIf(condition, then_case, OrNull(else_case));
      });
  Def("tir.make_seq", [](const std::vector<Stmt>& stmts) { return ir::MakeSeq(stmts); });
  Def("tir.make_evaluate", [](const Expr& value) { return ir::MakeEvaluate(value); });
  Def("tir.make_let_stmt", [](const ir::Var& var, const Expr& value, const Stmt& body) {
    return ir::MakeLetStmt(var, value, body);
  });
  Def("tir.make_assert", [](const Expr& condition, const std::string& name,
                            const std::string& message, const std::vector<Expr>& values) {
    return ir::MakeAssert(condition, name, message, values);
  });
  Def("tir.make_allocate",
      [](const ir::Buffer& buffer, const Stmt& body, const ir::Dict& annotations) {
        return ir::MakeAllocate(buffer, body, annotations);
      });
  Def("tir.make_attr",
      [](const Maybe<NodeRef>& node, const std::string& key, const Expr& value, const Stmt& body) {
        return ir::MakeAttr(OrNull(node), key, value, body);
      });
  Def("tir.make_buffer",
      [](const std::string& name, DataType type, const std::vector<Expr>& shape,
         const std::string& scope, const std::vector<Expr>& strides, const Maybe<Expr>& elem_offset,
         int64_t alignment, int64_t offset_factor, const Maybe<ir::Var>& data) {
        const ir::Buffer plain = ir::MakeBuffer(name, type, shape, scope);
        return ir::CopyBuffer(plain, [&](ir::BufferNode& buffer) {
          buffer.strides = strides;
          buffer.elem_offset = OrNull(elem_offset);
          buffer.alignment = alignment;
          buffer.offset_factor = offset_factor;
          if (data) buffer.data = *data;
        });
      });
  Def("tir.make_range",
      [](const Expr& min, const Expr& extent) { return ir::MakeRange(min, extent); });
  Def("tir.make_func",
      [](const std::string& name, const std::vector<NodeRef>& params, const Stmt& body,
         const ir::Dict& attrs) { return ir::MakeFunc(name, params, body, attrs); });
  Def("tir.with_attr", [](const ir::Func& func, const std::string& key, const NodeRef& value) {
    return ir::WithAttr(func, key, value);
  });
  Def("tir.with_body",
      [](const ir::Func& func, const Stmt& body) { return ir::WithBody(func, body); });
  Def("ir.make_module", [](const std::vector<ir::Func>& functions, const ir::Dict& attrs) {
    return ir::MakeModule(functions, attrs);
  });
  Def("ir.with_functions", [](const ir::Module& module, const std::vector<ir::Func>& functions) {
    return ir::WithFunctions(module, functions);
  });

  Def("tir.substitute", [](const NodeRef& root, const std::vector<Value>& pairs) -> NodeRef {
    ir::VarMap map;
    for (const Value& item : pairs) {
      const auto pair = item.As<std::vector<Value>>();
      map[pair.at(0).As<ir::Var>()] = pair.at(1).As<Expr>();
    }
    if (ir::IsStmt(root.get())) return ir::Substitute(ir::RefStmt(root), map);
    return ir::Substitute(ir::RefExpr(root), map);
  });
  Def("tir.transform", [](const NodeRef& root, const Any& before, const Any& after,
                          const std::vector<std::string>& only) {
    return PythonMutator(OptionalFunction(before), OptionalFunction(after), only).Run(root);
  });
  Def("tir.renew_defs", [](const NodeRef& root) -> NodeRef {
    if (!ir::IsStmt(root.get()) && ir::As<ir::FuncNode>(root) == nullptr) {
      throw Error(Diagnostic{.name = "node-kind",
                             .message = "this is neither a function nor a statement",
                             .found = ir::NodeKindName(root->node_kind())});
    }
    return Refresher().Run(root);
  });
  Def("tir.refresh", [](const Stmt& stmt) { return ir::Refresh(stmt); });
}

}  // namespace lathe::python
