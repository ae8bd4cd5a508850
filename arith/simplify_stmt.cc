#include "arith/simplify_stmt.h"

#include <memory>
#include <unordered_set>
#include <vector>

#include "arith/context.h"
#include "ir/intrinsic.h"
#include "ir/module.h"
#include "ir/rewrite.h"

namespace lathe::arith {

using ir::As;
using ir::Edge;
using ir::NodeRef;
using ir::Stmt;

namespace {

class StmtSimplifier : public ir::Mutator {
 public:
  explicit StmtSimplifier(Analyzer* analyzer) : analyzer_(analyzer) {}

 protected:
  NodeRef Enter(const NodeRef& node) override;
  NodeRef Leave(const NodeRef& before, NodeRef after) override;
  void BeforeChild(const Edge& edge) override;
  void AfterChild(const Edge& edge, const NodeRef& rewritten) override;

 private:
  void OpenScope() { scopes_.push_back(analyzer_->OpenScope()); }
  void CloseScope() { scopes_.pop_back(); }
  void EnterLoop(const ir::For& loop);
  void EnterLet(const ir::LetStmt& let);
  // True if every use of the variable is replaced by its value.
  static bool IsReplaced(const Var& var, const Expr& value);
  static bool IsInlinedLoop(const ir::For& loop, const Expr& extent);
  // `body` without the variable's definition; with it if the shape of a buffer uses the variable.
  Stmt Without(const Var& var, const Expr& value, const Stmt& body);

  Stmt Finish(const ir::For& loop);
  Stmt Finish(const ir::If& branch);
  Stmt Finish(const ir::Seq& seq);
  Stmt Finish(const ir::LetStmt& let);
  Stmt Finish(const ir::Store& store);

  Analyzer* analyzer_;
  std::vector<Analyzer::Scope> scopes_;
  // Rewritten fields of the statements in work, needed by their bodies: a loop's min and extent, a
  // condition, a value.
  std::vector<Expr> fields_;
  Edge edge_;
  bool define_ = false, attribute_ = false;
  int replaced_ = 0;  // variables in scope that are replaced
  std::unordered_set<const ir::Node*> vars_of_buffers_;
};

NodeRef StmtSimplifier::Enter(const NodeRef& node) {
  // Definitions keep their identity and annotations keep their form.
  if (define_ || attribute_) {
    if (As<ir::BufferNode>(node) != nullptr) {
      for (const Var& var : ir::FreeVars(node)) vars_of_buffers_.insert(var.get());
    }
    return node;
  }
  if (Expr expr = ir::RefExpr(node)) return analyzer_->Simplify(expr);
  if (As<ir::Seq>(node) != nullptr) OpenScope();
  return nullptr;
}

bool StmtSimplifier::IsReplaced(const Var& var, const Expr& value) {
  if (!value->dtype.is_scalar()) return false;
  if (ir::AsConstInt(value) != nullptr || As<ir::FloatImm>(value) != nullptr) return true;
  return As<ir::VarNode>(value) != nullptr && !var->dtype.is_handle();
}

bool StmtSimplifier::IsInlinedLoop(const ir::For& loop, const Expr& extent) {
  return ir::IsOne(extent) && loop.for_kind != ir::ForKind::kThread && loop.annotations.empty();
}

void StmtSimplifier::EnterLoop(const ir::For& loop) {
  const Expr min = fields_[fields_.size() - 2], extent = fields_.back();
  if (IsInlinedLoop(loop, extent)) {
    ++replaced_;
    analyzer_->Bind(loop.var, min);
  } else {
    analyzer_->Bind(loop.var, ir::MakeRange(min, extent));
  }
}

void StmtSimplifier::EnterLet(const ir::LetStmt& let) {
  const Expr& value = fields_.back();
  if (IsReplaced(let.var, value)) {
    ++replaced_;
    analyzer_->Bind(let.var, value);
  } else if (value->dtype.is_integral() && value->dtype.is_scalar() &&
             ir::EffectOf(value) == ir::CallEffect::kPure) {
    analyzer_->Assume(ir::MakeBinary(ir::NodeKind::kEQ, Expr(let.var), value));
  }
}

void StmtSimplifier::BeforeChild(const Edge& edge) {
  define_ = edge.field->role == ir::FieldRole::kDefine;
  attribute_ = edge.field->type == ir::FieldType::kDict;
  if (const auto* loop = As<ir::For>(edge.parent)) {
    if (!edge.Is("body")) return;
    OpenScope();
    EnterLoop(*loop);
  } else if (const auto* let = As<ir::LetStmt>(edge.parent)) {
    if (!edge.Is("body")) return;
    OpenScope();
    EnterLet(*let);
  } else if (As<ir::If>(edge.parent) != nullptr) {
    if (edge.Is("condition")) return;
    OpenScope();
    analyzer_->context()->Assume(fields_.back(), edge.Is("then_case"));
  }
}

void StmtSimplifier::AfterChild(const Edge& edge, const NodeRef& rewritten) {
  define_ = attribute_ = false;
  if (As<ir::For>(edge.parent) != nullptr) {
    if (edge.Is("min") || edge.Is("extent")) fields_.push_back(ir::RefExpr(rewritten));
    if (!edge.Is("body")) return;
    CloseScope();
    if (IsInlinedLoop(static_cast<const ir::For&>(*edge.parent), fields_.back())) --replaced_;
  } else if (As<ir::LetStmt>(edge.parent) != nullptr) {
    if (edge.Is("value")) fields_.push_back(ir::RefExpr(rewritten));
    if (!edge.Is("body")) return;
    CloseScope();
    if (IsReplaced(static_cast<const ir::LetStmt&>(*edge.parent).var, fields_.back())) --replaced_;
  } else if (As<ir::If>(edge.parent) != nullptr) {
    if (edge.Is("condition")) {
      fields_.push_back(ir::RefExpr(rewritten));
    } else {
      CloseScope();
    }
  } else if (As<ir::Seq>(edge.parent) != nullptr) {
    // Holds to the end of the sequence, which has its own scope.
    if (const auto* check = As<ir::Assert>(rewritten)) analyzer_->Assume(check->condition);
  }
}

Stmt StmtSimplifier::Without(const Var& var, const Expr& value, const Stmt& body) {
  return vars_of_buffers_.count(var.get()) != 0 ? ir::MakeLetStmt(var, value, body) : body;
}

Stmt StmtSimplifier::Finish(const ir::For& loop) {
  if (loop.for_kind == ir::ForKind::kThread) return {};
  const ConstBound extent = analyzer_->Bound(loop.extent);
  if (extent.max <= 0 || ir::IsNop(loop.body)) return ir::Nop();
  return IsInlinedLoop(loop, loop.extent) ? Without(loop.var, loop.min, loop.body) : Stmt();
}

Stmt StmtSimplifier::Finish(const ir::LetStmt& let) {
  if (IsReplaced(let.var, let.value)) return Without(let.var, let.value, let.body);
  return ir::IsNop(let.body) && ir::CanDrop(let.value) ? ir::Nop() : Stmt();
}

Stmt StmtSimplifier::Finish(const ir::If& branch) {
  const Stmt otherwise = branch.else_case ? branch.else_case : ir::Nop();
  if (const int64_t* truth = ir::AsConstInt(branch.condition)) {
    return *truth != 0 ? branch.then_case : otherwise;
  }
  const bool no_else = ir::IsNop(otherwise);
  if (ir::IsNop(branch.then_case)) {
    if (no_else) return ir::CanDrop(branch.condition) ? ir::Nop() : Stmt();
    return ir::MakeIf(analyzer_->Simplify(ir::LogicalNot(branch.condition)), otherwise);
  }
  if (no_else && branch.else_case) return ir::MakeIf(branch.condition, branch.then_case);
  return {};
}

Stmt StmtSimplifier::Finish(const ir::Seq& seq) {
  bool plain = seq.stmts.size() > 1;
  std::vector<Stmt> kept;
  for (const Stmt& stmt : seq.stmts) {
    plain = plain && !ir::IsNop(stmt) && As<ir::Seq>(stmt) == nullptr;
    if (!ir::IsNop(stmt)) kept.push_back(stmt);
  }
  if (plain) return {};
  return kept.empty() ? ir::Nop() : ir::MakeSeq(std::move(kept));
}

Stmt StmtSimplifier::Finish(const ir::Store& store) {
  if (store.mask) {
    if (const int64_t* truth = ir::AsConstInt(store.mask)) {
      if (*truth == 0) return ir::CanDrop(store.value) ? ir::Nop() : Stmt();
      return ir::MakeStore(store.buffer, store.value, store.indices);
    }
    return {};
  }
  const auto* load = As<ir::Load>(store.value);
  if (load == nullptr || load->mask || load->source.get() != store.buffer.get() ||
      load->indices.size() != store.indices.size()) {
    return {};
  }
  for (size_t i = 0; i < store.indices.size(); ++i) {
    if (!ir::CanDrop(store.indices[i]) ||
        !analyzer_->CanProveEqual(store.indices[i], load->indices[i])) {
      return {};
    }
  }
  return ir::Nop();
}

NodeRef StmtSimplifier::Leave(const NodeRef& before, NodeRef after) {
  Stmt result;
  switch (before->node_kind()) {
    case ir::NodeKind::kFor:
      fields_.resize(fields_.size() - 2);
      result = Finish(*As<ir::For>(after));
      break;
    case ir::NodeKind::kIf:
      fields_.pop_back();
      result = Finish(*As<ir::If>(after));
      break;
    case ir::NodeKind::kLetStmt:
      fields_.pop_back();
      result = Finish(*As<ir::LetStmt>(after));
      break;
    case ir::NodeKind::kSeq:
      CloseScope();
      // A sequence that changed may now be its only statement.
      if (const auto* seq = As<ir::Seq>(after)) result = Finish(*seq);
      break;
    case ir::NodeKind::kStore:
      result = Finish(*As<ir::Store>(after));
      break;
    case ir::NodeKind::kEvaluate:
      if (ir::CanDrop(As<ir::Evaluate>(after)->value)) result = ir::Nop();
      break;
    case ir::NodeKind::kAssert:
      if (ir::IsConstInt(As<ir::Assert>(after)->condition, 1)) result = ir::Nop();
      break;
    case ir::NodeKind::kAllocate:
      if (ir::IsNop(As<ir::Allocate>(after)->body)) result = ir::Nop();
      break;
    case ir::NodeKind::kRealize:
      if (ir::IsNop(As<ir::Realize>(after)->body)) result = ir::Nop();
      break;
    default:
      break;
  }
  return result ? NodeRef(result) : after;
}

}  // namespace

Stmt Simplify(const Stmt& stmt, Analyzer* analyzer) {
  if (!stmt) return stmt;
  std::unique_ptr<Analyzer> own;
  if (analyzer == nullptr) {
    own = std::make_unique<Analyzer>();
    analyzer = own.get();
  }
  return StmtSimplifier(analyzer).Run(stmt);
}

ir::Func Simplify(const ir::Func& func) { return ir::WithBody(func, Simplify(func->body)); }

}  // namespace lathe::arith
