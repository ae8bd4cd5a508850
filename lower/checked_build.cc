#include "lower/checked_build.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "arith/simplify_stmt.h"
#include "base/error.h"
#include "base/message.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "lower/device/kernel_reports.h"
#include "lower/operands.h"
#include "lower/option_names.h"
#include "lower/widen.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI64 = DataType::Int(64);

Expr I64(int64_t value) { return Int(value, kI64); }

// Names in messages: braces would be parsed as places for values.
std::string Quoted(std::string name) {
  std::erase_if(name, [](char c) { return c == '{' || c == '}'; });
  return "`" + name + "`";
}

// The assertions for one statement's expressions, in an order in which later ones may rely on
// earlier.
class AccessChecker final : public Visitor {
 public:
  AccessChecker(const std::string& function, const std::vector<Var>& loops)
      : function_(function), loops_(loops) {
    blocks_.emplace_back();
  }

  Stmt Take() { return MakeSeq(std::move(blocks_[0].stmts)); }

  void Check(const char* what, const Buffer& buffer, const std::vector<Expr>& indices) {
    for (size_t d = 0; d < indices.size(); ++d) {
      const WideIndex wide = Widen(indices[d]);
      const std::string subject = std::string(what) + " " + Quoted(buffer->name);
      Expr fits;
      for (const Expr& part : wide.parts) {
        const Expr ok =
            LogicalAnd(part >= I64(INT32_MIN), part <= I64(std::numeric_limits<int32_t>::max()));
        fits = fits ? LogicalAnd(fits, ok) : ok;
      }
      if (fits) {
        Add(fits, "check-index-overflow",
            Quoted(function_) + " overflows int32 in an index of a " + subject + ", dimension " +
                std::to_string(d) +
                "\n  expected: arithmetic within int32\n  found: {0}, computed in int64",
            {wide.value});
      }
      const Expr extent = Widen(buffer->shape[d]).value;
      std::vector<Expr> shown{wide.value, extent};
      std::string found;
      for (size_t k = 0; k < indices.size(); ++k) {
        const Expr value = k == d ? wide.value : MakeCast(kI64, indices[k]);
        found += k == 0 ? "" : ", ";
        if (k == d) {
          found += "{0}";
        } else if (shown.size() < kMostShown) {
          found += "{" + std::to_string(shown.size()) + "}";
          shown.push_back(value);
        } else {
          found += "?";
        }
      }
      Add(LogicalAnd(wide.value >= I64(0), wide.value < extent), "check-out-of-bounds",
          Quoted(function_) + " goes outside of its bounds in a " + subject + ", dimension " +
              std::to_string(d) + "\n  expected: an index in [0, {1})\n  found: [" + found + "]",
          std::move(shown));
    }
  }

  void Add(const Expr& condition, const char* name, std::string message, std::vector<Expr> shown) {
    std::string loops;
    // The innermost loops first, as many as there is room for.
    for (size_t i = loops_.size(); i-- > 0 && shown.size() < kMostShown;) {
      loops += (loops.empty() ? " with " : ", ") + Quoted(loops_[i]->name) + " = {" +
               std::to_string(shown.size()) + "}";
      shown.push_back(loops_[i]);
    }
    blocks_.back().stmts.push_back(
        MakeAssert(condition, name, std::move(message) + loops, std::move(shown)));
  }

 protected:
  bool Enter(const Node& node) override {
    if (!IsExpr(node.node_kind())) return false;
    // A check that was made on every path to this statement is not repeated.
    for (const Block& block : blocks_) {
      if (block.seen.count(&node) != 0) return false;
    }
    blocks_.back().seen.insert(&node);
    if (const auto* call = As<Call>(&node); call != nullptr && call->op == intrinsic::kAddressOf) {
      // Nothing is read; the address one past the end is allowed.
      if (const auto* load = As<Load>(call->arg(0))) {
        for (const Expr& index : load->indices) Visit(index);
      }
      return false;
    }
    if (const auto* call = As<Call>(&node); call != nullptr && call->op == intrinsic::kAsyncCopy) {
      Copy(*call);
      return false;
    }
    return true;
  }

  void Leave(const Node& node) override {
    const auto* load = As<Load>(&node);
    if (load == nullptr || load->mask) return;
    if (const Buffer buffer = RefAs<BufferNode>(load->source))
      Check("load of", buffer, load->indices);
  }

  void BeforeChild(const Edge& edge) override {
    if (IsScoped(edge)) blocks_.emplace_back();
  }

  void AfterChild(const Edge& edge) override {
    if (!IsScoped(edge)) return;
    Stmt inner = MakeSeq(std::move(blocks_.back().stmts));
    blocks_.pop_back();
    if (IsNop(inner)) return;
    if (const auto* let = As<Let>(edge.parent)) {
      const Var var = MakeVar(let->var->name, let->var->dtype);
      inner = MakeLetStmt(var, let->value, Substitute(inner, {{let->var, var}}));
    } else {
      const Expr condition = static_cast<const Call*>(edge.parent)->arg(0);
      inner = MakeIf(edge.index == 1 ? condition : LogicalNot(condition), inner);
    }
    blocks_.back().stmts.push_back(inner);
  }

 private:
  // Checks both places, except for an empty copy, which accesses neither.
  void Copy(const Call& call) {
    std::vector<const Load*> places;
    for (size_t i = 0; i < 2; ++i) {
      const auto* place = As<Load>(call.arg(i));
      for (const Expr& index : place->indices) Visit(index);
      places.push_back(place);
    }
    Visit(call.arg(2));
    blocks_.emplace_back();
    for (const Load* place : places) {
      if (const Buffer buffer = RefAs<BufferNode>(place->source))
        Check(place == places[0] ? "copy into" : "copy from", buffer, place->indices);
    }
    const Stmt checks = MakeSeq(std::move(blocks_.back().stmts));
    blocks_.pop_back();
    blocks_.back().stmts.push_back(MakeIf(MakeCast(kI64, call.arg(2)) > I64(0), checks));
  }

  struct Block {
    std::vector<Stmt> stmts;
    std::unordered_set<const Node*> seen;
  };

  // True if the child is evaluated only under a condition, or defines a variable for itself.
  static bool IsScoped(const Edge& edge) {
    if (edge.parent->node_kind() == NodeKind::kLet) return edge.Is("body");
    const auto* call = As<Call>(edge.parent);
    return call != nullptr && call->op == intrinsic::kIfThenElse && edge.Is("args") &&
           edge.index > 0;
  }

  const std::string& function_;
  const std::vector<Var>& loops_;
  std::vector<Block> blocks_;
};

class Checker final : public Mutator {
 public:
  Checker(const Func& func, bool checks) : func_(func), checks_(checks) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get()) || As<BufferNode>(node) != nullptr) return node;
    return nullptr;
  }

  void BeforeChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body")) loops_.push_back(loop->var);
  }
  void AfterChild(const Edge& edge, const NodeRef&) override {
    if (As<For>(edge.parent) != nullptr && edge.Is("body")) loops_.pop_back();
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const Stmt stmt = RefStmt(after);
    if (!stmt) return after;
    if (const auto* attr = As<Attr>(stmt); attr != nullptr && attr->key == attr_key::kClaim)
      return checks_ && !Planted(PlantedBug::kClaimsTrusted) ? Claim(*attr) : attr->body;
    if (!checks_ || As<Attr>(stmt) != nullptr) return after;
    AccessChecker checker(func_->name, loops_);
    for (const ExprNode* operand : OperandsOf(*stmt)) checker.Visit(Expr(operand));
    if (const auto* store = As<Store>(stmt); store != nullptr && !store->mask)
      checker.Check("store into", store->buffer, store->indices);
    const Stmt checks = checker.Take();
    if (IsNop(checks)) return after;
    if (const auto* loop = As<While>(stmt)) {
      // The condition is evaluated after each iteration again.
      return MakeSeq({checks, MakeWhile(loop->condition, MakeSeq({loop->body, Refresh(checks)}))});
    }
    return MakeSeq({checks, stmt});
  }

 private:
  Stmt Claim(const Attr& attr) {
    const auto* what = As<StringImm>(attr.node);
    AccessChecker checker(func_->name, loops_);
    checker.Visit(attr.value);
    checker.Add(attr.value, "check-claim",
                Quoted(func_->name) + " relies on a claim that does not hold: " +
                    (what != nullptr ? Quoted(what->value) : "(of nobody)") +
                    "\n  expected: the claim to be true\n  found: false",
                {});
    return MakeSeq({checker.Take(), attr.body});
  }

  const Func& func_;
  const bool checks_;
  std::vector<Var> loops_;
};

// -- Overlapping arguments.

std::unordered_set<const Node*> MayBeWritten(const Func& func) {
  std::unordered_set<const Node*> out;
  ForEach<Store>(func, [&](const Store& store) { out.insert(store.buffer->data.get()); });
  ForEach<Call>(func, [&](const Call& call) {
    for (const NodeRef& arg : call.args) {
      if (const auto* buffer = As<BufferNode>(arg)) out.insert(buffer->data.get());
    }
  });
  // Accesses through views of a parameter, or addresses in it, are not tracked.
  ForEach<DeclBuffer>(func, [&](const DeclBuffer& view) {
    PostOrder(view.data, [&](const Node& node) {
      if (const auto* load = As<Load>(&node)) {
        if (const auto* buffer = As<BufferNode>(load->source)) out.insert(buffer->data.get());
      } else if (node.node_kind() == NodeKind::kVarNode) {
        out.insert(&node);
      }
    });
  });
  return out;
}

struct Extent {
  Expr memory;      // the address or handle of the buffer's memory
  Expr begin, end;  // addresses
  Expr empty;
};

Extent ExtentOf(const Buffer& buffer) {
  Expr low = buffer->elem_offset ? MakeCast(kI64, buffer->elem_offset) : I64(0), high = low;
  Expr empty = Bool(false), compact = I64(1);
  for (size_t d = buffer->shape.size(); d-- > 0;) {
    const Expr extent = MakeCast(kI64, buffer->shape[d]);
    const Expr stride = buffer->strides.empty() ? compact : MakeCast(kI64, buffer->strides[d]);
    const Expr reach = (extent - 1) * stride;
    low = low + (buffer->strides.empty() ? I64(0) : MakeMin(reach, I64(0)));
    high = high + (buffer->strides.empty() ? reach : MakeMax(reach, I64(0)));
    empty = LogicalOr(empty, Equal(extent, I64(0)));
    compact = compact * extent;
  }
  const Expr address = MakeCall(kI64, intrinsic::kReinterpret, {buffer->data});
  const int64_t size = buffer->dtype.bytes();
  return {address, address + low * size, address + (high + 1) * size, empty};
}

Stmt OverlapChecks(const Func& func) {
  const std::unordered_set<const Node*> written = MayBeWritten(func);
  std::vector<Stmt> checks;
  for (size_t i = 0; i < func->params.size(); ++i) {
    const Buffer a = RefAs<BufferNode>(func->params[i]);
    for (size_t j = i + 1; a && j < func->params.size(); ++j) {
      const Buffer b = RefAs<BufferNode>(func->params[j]);
      if (Planted(PlantedBug::kOverlapUnchecked)) continue;
      if (!b || (written.count(a->data.get()) == 0 && written.count(b->data.get()) == 0)) continue;
      const Extent x = ExtentOf(a), y = ExtentOf(b);
      Expr apart = LogicalOr(x.end <= y.begin, y.end <= x.begin);
      // Handles of different memory may be any numbers.
      if (IntAttr(func->attrs, func_attr::kOpaquePointers) != 0)
        apart = LogicalOr(NotEqual(x.memory, y.memory), apart);
      checks.push_back(MakeAssert(
          LogicalOr(LogicalOr(x.empty, y.empty), apart), "check-arguments-overlap",
          "arguments " + std::to_string(i) + " (" + Quoted(a->name) + ") and " + std::to_string(j) +
              " (" + Quoted(b->name) + ") of " + Quoted(func->name) +
              " overlap in memory\n  expected: memory of its own for each argument that is "
              "written (S42)\n  found: addresses [{0}, {1}) and [{2}, {3})",
          {x.begin, x.end, y.begin, y.end}));
    }
  }
  return MakeSeq(std::move(checks));
}

}  // namespace

Module CheckedBuild(const Module& module, const PassContext& context) {
  const bool checks = context.Option(option::kCheck) != 0;
  return MapFunctions(module, [&](const Func& func) {
    const Stmt body = Checker(func, checks).Run(func->body);
    if (!checks) return WithBody(func, body);
    // Only the host's entries report errors; other functions are checked by their callers.
    const Func checked = arith::Simplify(WithBody(func, MakeSeq({OverlapChecks(func), body})));
    return arith::Simplify(ReportFromKernels(checked));
  });
}

}  // namespace lathe::lower
