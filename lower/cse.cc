#include "lower/cse.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/poll.h"
#include "ir/rewrite.h"
#include "lower/cse_numbers.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

using Id = ValueNumbers::Id;
// The number of a statement, Seqs not counted, in the order of the text.
using Position = uint32_t;

struct Use {
  Position at = 0;
  bool conditional = false;  // the value may not be computed there at all
  uint32_t count = 0;
};

// Numbers the expressions of one function and records where each is used.
class UseFinder final : public Visitor {
 public:
  explicit UseFinder(ValueNumbers* numbers) : numbers_(numbers) {}

  // By position: the numbers of the statement's own expressions; the last position of the
  // statement's block, up to which a variable defined before the statement is visible.
  std::vector<std::vector<Id>> own;
  std::vector<Position> block_end;
  struct Root {
    Id id;
    Use use;
  };
  std::vector<Root> roots;

 protected:
  bool Enter(const Node& node) override {
    if (!IsStmt(node.node_kind())) return false;
    Open open;
    open.is_seq = As<Seq>(&node) != nullptr;
    open.in_seq = InSeq();
    if (!open.is_seq) {
      open.at = static_cast<Position>(own.size());
      block_end.push_back(0);
      own.emplace_back();
      if (open.in_seq) open_.back().children.push_back(open.at);
      Record(node, open.at);
    }
    open_.push_back(std::move(open));
    return true;
  }

  void Leave(const Node& node) override {
    const Open open = std::move(open_.back());
    open_.pop_back();
    const auto last = static_cast<Position>(own.size() - 1);
    if (!open.is_seq && !open.in_seq) block_end[open.at] = last;
    for (const Position child : open.children) block_end[child] = last;
    if (const auto* store = As<Store>(&node)) numbers_->Wrote(store->buffer);
  }

  void BeforeChild(const Edge& edge) override { Border(edge); }
  void AfterChild(const Edge& edge) override { Border(edge); }

 private:
  struct Open {
    bool is_seq = false, in_seq = false;
    Position at = 0;
    std::vector<Position> children;
  };

  bool InSeq() const { return !open_.empty() && open_.back().is_seq; }

  // Memory differs between iterations, and between arms.
  void Border(const Edge& edge) {
    const NodeKind kind = edge.parent->node_kind();
    if ((kind == NodeKind::kFor || kind == NodeKind::kWhile) && edge.Is("body"))
      numbers_->WroteAnything();
    if (kind == NodeKind::kIf && !edge.Is("condition")) numbers_->WroteAnything();
  }

  void Record(const Node& stmt, Position at) {
    // The launch needs the extents of thread axes before the kernel begins.
    if (const auto* loop = As<For>(&stmt); loop != nullptr && loop->for_kind == ForKind::kThread)
      return;
    const bool again = stmt.node_kind() == NodeKind::kWhile;
    if (again) numbers_->WroteAnything();  // the condition may read what the body wrote
    const auto* check = As<Assert>(&stmt);
    for (const ExprNode* operand : OperandsOf(stmt)) {
      const Id id = numbers_->Number(Expr(operand));
      // The values that an Assert shows are needed only if it fails.
      const bool conditional = again || (check != nullptr && operand != check->condition.get());
      own[at].push_back(id);
      roots.push_back({id, {at, conditional, 1}});
    }
    if (numbers_->TakeEffect()) numbers_->WroteAnything();
    if (const auto* let = As<LetStmt>(&stmt); let != nullptr && let->var->dtype.is_handle())
      numbers_->Derive(let->var, let->value);
    if (const auto* view = As<DeclBuffer>(&stmt)) numbers_->Derive(view->buffer->data, view->data);
  }

  ValueNumbers* numbers_;
  std::vector<Open> open_;
};

// One variable: the uses of its value in [first, last] read it.
struct Common {
  Position first, last;
  Var var;
};

// Decides which values get variables, and where.
class Chooser {
 public:
  Chooser(const ValueNumbers& numbers, const UseFinder& finder)
      : numbers_(numbers), finder_(finder), uses_(numbers.size()), common(numbers.size()) {}

 private:
  const ValueNumbers& numbers_;
  const UseFinder& finder_;
  std::vector<std::vector<Use>> uses_;

 public:
  std::vector<std::vector<Common>> common;        // by number, ascending
  std::map<Position, std::vector<Id>> variables;  // before which statement; ascending

  // False if nothing is common. Parents are processed before their operands, so that an operand
  // that only a common expression uses counts once.
  bool Choose() {
    for (const UseFinder::Root& root : finder_.roots) uses_[root.id].push_back(root.use);
    for (size_t i = numbers_.size(); i-- > 0;) {
      const auto id = static_cast<Id>(i);
      Group(id, Merged(std::move(uses_[id])));
      uses_[id] = {};
    }
    size_t count = 0;
    for (auto& [at, ids] : variables) {
      std::sort(ids.begin(), ids.end());
      for (const Id id : ids) {
        for (Common& made : common[id]) {
          if (made.first == at)
            made.var = MakeVar("cse" + std::to_string(count++), numbers_.ExprOf(id)->dtype);
        }
      }
    }
    return count > 0;
  }

 private:
  // Sorted; at the same statement certain uses come first.
  static std::vector<Use> Merged(std::vector<Use> uses) {
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
      return a.at != b.at ? a.at < b.at : a.conditional < b.conditional;
    });
    std::vector<Use> out;
    for (const Use& use : uses) {
      if (!out.empty() && out.back().at == use.at && out.back().conditional == use.conditional)
        out.back().count = std::min<uint32_t>(out.back().count + use.count, 2);
      else
        out.push_back(use);
    }
    return out;
  }

  void Group(Id id, const std::vector<Use>& uses) {
    size_t i = 0;
    while (i < uses.size()) {
      const Use& first = uses[i];
      if (!numbers_.IsWorthy(id) || first.conditional) {
        Pass(id, uses[i++]);
        continue;
      }
      const Position last = finder_.block_end[first.at];
      uint64_t count = 0;
      size_t end = i;
      while (end < uses.size() && uses[end].at <= last) count += uses[end++].count;
      if (count < 2) {
        Pass(id, uses[i++]);
        continue;
      }
      common[id].push_back({first.at, last, {}});
      variables[first.at].push_back(id);
      Pass(id, {first.at, false, 1});
      i = end;
    }
  }

  // Passes a use of a value on to its operands.
  void Pass(Id id, const Use& use) {
    const std::span<const Id> children = numbers_.ChildrenOf(id);
    for (size_t k = 0; k < children.size(); ++k) {
      Use inner = use;
      inner.conditional = inner.conditional || numbers_.IsArm(id, k);
      uses_[children[k]].push_back(inner);
    }
  }
};

class Rewriter final : public Mutator {
 public:
  Rewriter(const ValueNumbers& numbers, const UseFinder& finder, const Chooser& chooser)
      : numbers_(numbers), finder_(finder), chooser_(chooser) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const bool in_seq = !open_.empty() && open_.back().is_seq;
    if (!IsStmt(node.get())) return node;
    const bool is_seq = As<Seq>(node) != nullptr;
    open_.push_back({is_seq, in_seq, is_seq ? 0 : next_++, {}});
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    const Open open = std::move(open_.back());
    open_.pop_back();
    if (open.is_seq) return Sequence(open.children, after);
    Stmt stmt = RefStmt(Header(before, after, open.at));
    if (open.in_seq) {
      open_.back().children.push_back({stmt, open.at});
      return stmt;
    }
    return Defined(open.at, stmt);
  }

 private:
  struct Child {
    Stmt stmt;
    Position at;
  };
  struct Open {
    bool is_seq, in_seq;
    Position at;
    std::vector<Child> children;
  };

  NodeRef Sequence(const std::vector<Child>& children, const NodeRef& after) const {
    bool defines = false;
    for (const Child& child : children) {
      defines = defines || chooser_.variables.count(child.at) != 0;
    }
    if (!defines) return after;
    // Variables are visible to the statements after them.
    std::vector<Stmt> rest;  // in reverse
    for (size_t i = children.size(); i-- > 0;) {
      rest.push_back(children[i].stmt);
      if (chooser_.variables.count(children[i].at) == 0) continue;
      std::reverse(rest.begin(), rest.end());
      rest = {Defined(children[i].at, MakeSeq(std::move(rest)))};
    }
    std::reverse(rest.begin(), rest.end());
    return MakeSeq(std::move(rest));
  }

  // `stmt`, with definitions of the variables that begin before position `at`.
  Stmt Defined(Position at, Stmt stmt) const {
    const auto ids = chooser_.variables.find(at);
    if (ids == chooser_.variables.end()) return stmt;
    std::unordered_map<Id, Expr> done;
    for (size_t i = ids->second.size(); i-- > 0;) {
      const Id id = ids->second[i];
      stmt = MakeLetStmt(VariableAt(id, at)->var, Written(id, at, true, &done), stmt);
    }
    return stmt;
  }

  NodeRef Header(const NodeRef& before, const NodeRef& after, Position at) const {
    const std::vector<Id>& ids = finder_.own[at];
    if (ids.empty()) return after;
    const OperandList operands = OperandsOf(*before);
    std::vector<Expr> with;
    std::unordered_map<Id, Expr> done;
    for (size_t i = 0; i < ids.size(); ++i) {
      Expr now = Written(ids[i], at, false, &done);
      with.push_back(now.same_as(numbers_.ExprOf(ids[i])) ? Expr(operands[i]) : now);
    }
    return WithOperands(after, with);
  }

  // Null if the value has no variable there.
  const Common* VariableAt(Id id, Position at) const {
    const std::vector<Common>& all = chooser_.common[id];
    auto after = std::upper_bound(all.begin(), all.end(), at,
                                  [](Position p, const Common& c) { return p < c.first; });
    if (after == all.begin()) return nullptr;
    --after;
    return at <= after->last ? &*after : nullptr;
  }

  // The value with variables for its common parts; `define`: the value's own variable is being
  // defined.
  Expr Written(Id root, Position at, bool define, std::unordered_map<Id, Expr>* done) const {
    struct Frame {
      Id id;
      std::vector<Expr> operands;
    };
    std::vector<Frame> stack;
    Expr result;
    auto start = [&](Id id, bool own) {
      if (!own) {
        if (const Common* variable = VariableAt(id, at)) {
          result = variable->var;
          return true;
        }
        if (const auto known = done->find(id); known != done->end()) {
          result = known->second;
          return true;
        }
      }
      stack.push_back({id, {}});
      return false;
    };
    bool finished = start(root, define);
    while (!stack.empty()) {
      Poll();
      Frame& frame = stack.back();
      if (finished) frame.operands.push_back(result);
      const std::span<const Id> children = numbers_.ChildrenOf(frame.id);
      if (frame.operands.size() < children.size()) {
        finished = start(children[frame.operands.size()], false);
        continue;
      }
      result = Rebuilt(frame.id, frame.operands);
      if (!(define && stack.size() == 1)) (*done)[frame.id] = result;
      stack.pop_back();
      finished = true;
    }
    return result;
  }

  // The representative itself, unless an operand was replaced.
  Expr Rebuilt(Id id, const std::vector<Expr>& operands) const {
    const Expr& expr = numbers_.ExprOf(id);
    const OperandList now = OperandsOf(*expr);
    const std::span<const Id> children = numbers_.ChildrenOf(id);
    std::vector<Expr> with;
    for (size_t i = 0; i < operands.size(); ++i) {
      // The representative of an equal operand may be another node than the operand.
      const bool same = operands[i].same_as(numbers_.ExprOf(children[i]));
      with.push_back(same ? Expr(now[i]) : operands[i]);
    }
    return RefExpr(WithOperands(expr, with));
  }

  const ValueNumbers& numbers_;
  const UseFinder& finder_;
  const Chooser& chooser_;
  std::vector<Open> open_;
  Position next_ = 0;
};

Func CseOf(const Func& func) {
  ValueNumbers numbers;
  UseFinder finder(&numbers);
  finder.Visit(func->body);
  Chooser chooser(numbers, finder);
  if (!chooser.Choose()) return func;
  return WithBody(func, Rewriter(numbers, finder, chooser).Run(func->body));
}

}  // namespace

Module Cse(const Module& module, const PassContext&) { return MapFunctions(module, CseOf); }

}  // namespace lathe::lower
