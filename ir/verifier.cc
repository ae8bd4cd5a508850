#include "ir/verifier.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/complete.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

std::string Quoted(const std::string& name) { return "`" + name + "`"; }

class Verifier final : public Visitor {
 public:
  Verifier(Stage stage, const ModuleNode* module) : stage_(stage), module_(module) {}

  void CheckFunction(const FuncNode& func) {
    func_ = &func;
    defined_.clear();
    live_.clear();
    checked_.clear();
    if (func.name.empty()) Problem("verify-function", "a function has no name");
    CheckSignature(func);
    DefineSymbols(func);
    Visit(static_cast<const Node&>(func));
    func_ = nullptr;
  }

  void CheckProgram(const ProgramNode& program) {
    program_ = &program;
    Visit(static_cast<const Node&>(program));
    for (const NodeRef& arg : program.args) {
      if (const auto* tensor = As<TensorNode>(arg)) {
        UseOp(*tensor);
      } else if (As<VarNode>(arg) == nullptr) {
        Problem("verify-malformed", std::string("an argument of the program is a ") +
                                        NodeKindName(arg->node_kind()) +
                                        ", neither a tensor nor a variable");
      }
    }
  }

 protected:
  bool Enter(const Node& node) override {
    const Edge edge = std::exchange(edge_, Edge());
    if (checked_.contains(&node)) return false;
    // The tensor intrinsic of a step is not walked. Its variables and tensors are its own, and
    // replaying the step checks it.
    if (step_ != nullptr && As<TensorIntrinNode>(&node) != nullptr) return false;
    if (IsStmt(&node)) stmts_.push_back(&node);
    starts_.push_back(definitions_);
    if (!StageAllows(stage_, node.node_kind()))
      NotAllowed(std::string("a ") + NodeKindName(node.node_kind()));
    std::string problem = MissingPart(node);
    if (problem.empty()) problem = CheckNode(node);
    if (!problem.empty()) {
      Problem("verify-malformed", std::string("a ") + NodeKindName(node.node_kind()) +
                                      " does not fit together: " + problem);
    }
    switch (node.node_kind()) {
      case NodeKind::kVarNode:
        VisitVar(static_cast<const VarNode&>(node), edge);
        break;
      case NodeKind::kBufferNode:
        VisitBuffer(static_cast<const BufferNode&>(node), edge);
        break;
      case NodeKind::kIterVarNode:
        iter_owner_ = edge.parent;
        break;
      case NodeKind::kTensorIntrinNode:
        ++intrinsics_;
        break;
      case NodeKind::kStringImm:
        CheckStringUse(edge);
        break;
      case NodeKind::kLoad: {
        const NodeRef& source = static_cast<const Load&>(node).source;
        if (const auto* buffer = As<BufferNode>(source)) {
          Use(*buffer, "buffer", buffer->name);
        } else {
          if (stage_ != Stage::kTe) NotAllowed("a load of a tensor");
          UseOp(*As<TensorNode>(source));
        }
        break;
      }
      case NodeKind::kStore: {
        const BufferNode& buffer = *static_cast<const Store&>(node).buffer;
        Use(buffer, "buffer", buffer.name);
        break;
      }
      case NodeKind::kPrefetch: {
        const BufferNode& buffer = *static_cast<const Prefetch&>(node).buffer;
        Use(buffer, "buffer", buffer.name);
        break;
      }
      case NodeKind::kFor: {
        const ForKind kind = static_cast<const For&>(node).for_kind;
        if (!StageAllows(stage_, kind)) {
          NotAllowed(std::string("a ") + For::kForKindNames[static_cast<size_t>(kind)] + " loop");
        }
        break;
      }
      case NodeKind::kCall: {
        const auto& call = static_cast<const Call&>(node);
        // A list in a step of a trace, not an intrinsic. CheckStep checks it.
        if (edge.parent == step_ && step_ != nullptr && call.op == kListOperand) break;
        CheckCallNode(call);
        break;
      }
      case NodeKind::kStepNode:
        CheckStep(static_cast<const StepNode&>(node));
        break;
      case NodeKind::kReduce:
        CheckReducePlace(edge);
        break;
      default:
        if (IsOp(&node)) EnterOp(static_cast<const OpNode&>(node));
    }
    return true;
  }

  void Leave(const Node& node) override {
    // The definitions of this node end here. Expressions that were checked under those definitions
    // must be checked again.
    const bool defines_something = definitions_ != starts_.back();
    starts_.pop_back();
    for (; !scopes_.empty() && scopes_.back().owner == &node; scopes_.pop_back()) {
      live_.erase(scopes_.back().what);
      for (; checked_order_.size() > scopes_.back().checked; checked_order_.pop_back()) {
        checked_.erase(checked_order_.back());
      }
    }
    if (IsStmt(&node)) stmts_.pop_back();
    if (&node == step_) step_ = nullptr;
    if (IsOp(&node)) ops_.insert(&node);
    if (node.node_kind() == NodeKind::kTensorIntrinNode) --intrinsics_;
    if (IsExpr(&node) && !defines_something && !node.unique() && As<VarNode>(&node) == nullptr) {
      if (checked_.insert(&node).second) checked_order_.push_back(&node);
    }
  }

  void BeforeChild(const Edge& edge) override { edge_ = edge; }

 private:
  struct Scope {
    const Node* what;
    const Node* owner;  // the node that defines it; the scope ends with this node
    size_t checked;     // the number of checked nodes before it
  };

  // -- Messages.

  [[noreturn]] void Problem(const char* name, std::string message, std::string expected = "",
                            std::string found = "", std::string help = "") const {
    Diagnostic diagnostic{.name = name,
                          .message = std::move(message),
                          .expected = std::move(expected),
                          .found = std::move(found),
                          .help = std::move(help)};
    diagnostic.message += " (stage " + std::string(StageName(stage_)) +
                          (func_ != nullptr ? ", function " + Quoted(func_->name) : std::string()) +
                          ")";
    if (!stmts_.empty()) diagnostic.notes.push_back("in: " + Excerpt(*stmts_.back()));
    throw Error(std::move(diagnostic));
  }

  static std::string Excerpt(const Node& stmt) {
    std::string text;
    try {
      text = ToText(stmt, {.max_bytes = 1 << 20});
    } catch (const Error&) {
      return std::string("a ") + NodeKindName(stmt.node_kind()) + " too large to print";
    }
    if (text.size() > 2000) text = text.substr(0, 2000) + " ...";
    return text;
  }

  [[noreturn]] void NotAllowed(const std::string& what) const {
    Problem("verify-stage", what + " is not allowed here",
            "what the stage " + std::string(StageName(stage_)) + " allows", what,
            "an earlier pass of the pipeline should have removed it");
  }

  // -- Definitions and uses.

  void Define(const Node& what, const Node* owner, const char* kind, const std::string& name) {
    ++definitions_;
    if (!defined_.insert(&what).second) {
      Problem("verify-redefined",
              "the " + std::string(kind) + " " + Quoted(name) + " is defined twice",
              "one definition in a function", "",
              "a statement that is used twice needs definitions of its own (Refresh)");
    }
    live_.insert(&what);
    scopes_.push_back({&what, owner, checked_order_.size()});
  }

  void Use(const Node& what, const char* kind, const std::string& name) const {
    if (live_.contains(&what)) return;
    Problem("verify-undefined",
            "the " + std::string(kind) + " " + Quoted(name) + " is used where it is not defined",
            "a use within the scope of its definition",
            defined_.contains(&what) ? "a use outside of it" : "no definition before the use");
  }

  void VisitVar(const VarNode& var, const Edge& edge) {
    const bool defines = edge.field != nullptr && edge.field->role == FieldRole::kDefine;
    if (!defines) return Use(var, "variable", var.name);
    if (edge.parent->node_kind() == NodeKind::kReducerNode) {
      // The members of a tuple reduction share their reducer.
      defined_.erase(&var);
      return Define(var, edge.parent, "variable", var.name);
    }
    if (edge.parent->node_kind() == NodeKind::kBufferNode) {
      // The data variable of a view may be defined outside. A parameter defines its own.
      if (view_ == edge.parent && live_.contains(&var)) return;
      return Define(var, buffer_owner_, "variable", var.name);
    }
    if (edge.parent->node_kind() == NodeKind::kIterVarNode) {
      return Define(var, iter_owner_, "variable", var.name);
    }
    if (edge.parent == func_ && symbols_.contains(&var))
      return;  // defined by an extent already (S39)
    Define(var, edge.parent, "variable", var.name);
  }

  void VisitBuffer(const BufferNode& buffer, const Edge& edge);
  void CheckStringUse(const Edge& edge) const;
  void CheckCallNode(const Call& call);
  void CheckReducePlace(const Edge& edge) const;
  void CheckStep(const StepNode& step);
  void CheckSignature(const FuncNode& func) const;
  void DefineSymbols(const FuncNode& func);
  void EnterOp(const OpNode& op);
  void UseOp(const TensorNode& tensor) const;

  const Stage stage_;
  const ModuleNode* const module_;
  const FuncNode* func_ = nullptr;
  Edge edge_;                       // the edge to the next node that is entered
  std::vector<const Node*> stmts_;  // the statements around the current node
  std::unordered_set<const Node*> defined_, live_;
  std::vector<Scope> scopes_;
  std::vector<size_t> starts_;  // the number of definitions before each node on the path
  size_t definitions_ = 0;
  std::unordered_set<const Node*> symbols_;  // extents that the function's parameters bind
  // Shared expressions that were checked and whose definitions are still live. They are not walked
  // again.
  std::unordered_set<const Node*> checked_;
  std::vector<const Node*> checked_order_;
  const ProgramNode* program_ = nullptr;
  std::unordered_set<const Node*> ops_;  // operations of the program, so far
  const StepNode* step_ = nullptr;       // the step of the trace whose operands are being visited
  int intrinsics_ = 0;  // tensor intrinsics around the current node; they have their own tensors
  // The owners of the definitions within a buffer or an iteration variable.
  const Node* buffer_owner_ = nullptr;
  const Node* iter_owner_ = nullptr;
  const Node* view_ = nullptr;
};

void Verifier::VisitBuffer(const BufferNode& buffer, const Edge& edge) {
  buffer_owner_ = edge.parent;
  view_ = As<DeclBuffer>(edge.parent) != nullptr ? &buffer : nullptr;
  if (buffer.dtype.is_void()) {
    Problem("verify-malformed", "the buffer " + Quoted(buffer.name) + " has no element type");
  }
  if (stage_ == Stage::kFlat) {
    const size_t rank = buffer.axis_separators.size() + 1;
    if (buffer.shape.size() != rank || !buffer.strides.empty()) {
      Problem("verify-rank", "the buffer " + Quoted(buffer.name) + " is not flat",
              "rank " + std::to_string(rank) + " and no strides",
              "rank " + std::to_string(buffer.shape.size()) +
                  (buffer.strides.empty() ? "" : " with strides"),
              "run the pass `flatten` before");
    }
  }
  Define(buffer, edge.parent, "buffer", buffer.name);
}

void Verifier::CheckStringUse(const Edge& edge) const {
  if (edge.field == nullptr || edge.field->type == FieldType::kDict) return;
  const NodeKind parent = edge.parent->node_kind();
  if (parent == NodeKind::kCall || parent == NodeKind::kAttr || parent == NodeKind::kStepNode)
    return;
  Problem("verify-malformed", "a string stands where a value is computed",
          "an argument of a call, or an attribute");
}

void Verifier::CheckCallNode(const Call& call) {
  if (std::string problem = CheckCall(call); !problem.empty()) {
    Problem("verify-call", "a call does not fit: " + problem);
  }
  if (!StageAllowsIntrinsic(stage_, call.op)) NotAllowed("the intrinsic " + Quoted(call.op));
  for (const NodeRef& arg : call.args) {
    if (const auto* buffer = As<BufferNode>(arg)) Use(*buffer, "buffer", buffer->name);
  }
  if (call.op == intrinsic::kReturn && func_ != nullptr &&
      call.arg(0)->dtype != func_->return_type) {
    Problem("verify-call", "a value of another type than the function's is returned",
            func_->return_type.ToString(), call.arg(0)->dtype.ToString());
  }
  if (module_ == nullptr ||
      (call.op != intrinsic::kCallPlain && call.op != intrinsic::kFunctionAddress))
    return;
  const std::string& name = As<StringImm>(call.args[0])->value;
  const FuncNode* callee = nullptr;
  std::vector<std::string> known;
  for (const Func& func : module_->functions) {
    if (func->name == name) callee = func.get();
    known.push_back(func->name);
  }
  if (callee == nullptr) {
    Problem("verify-call", "the module has no function " + Quoted(name), QuotedList(known),
            Quoted(name), "did you mean " + QuotedList(NearestNames(name, known)) + "?");
  }
  if (call.op == intrinsic::kFunctionAddress) return;
  std::string expected, found;
  for (const NodeRef& param : callee->params) {
    expected += (expected.empty() ? "" : ", ") + (As<VarNode>(param) != nullptr
                                                      ? As<VarNode>(param)->dtype.ToString()
                                                      : std::string("a tensor"));
  }
  for (size_t i = 1; i < call.args.size(); ++i)
    found += (found.empty() ? "" : ", ") + call.arg(i)->dtype.ToString();
  expected = "(" + expected + ") -> " + callee->return_type.ToString();
  found = "(" + found + ") -> " + call.dtype.ToString();
  if (expected != found)
    Problem("verify-call", "the call of " + Quoted(name) + " does not fit it", expected, found);
}

void Verifier::CheckReducePlace(const Edge& edge) const {
  if (edge.field != nullptr && edge.parent->node_kind() == NodeKind::kComputeOp && edge.Is("body"))
    return;
  Problem("verify-malformed", "a reduction stands within an expression",
          "a reduction only as the whole body of a compute", "",
          "compute the reduction in an operation of its own, and read its result");
}

// Operands are names, integers (constants or expressions of the program's sizes), lists of names
// and integers, or a tensor intrinsic. Replaying the step checks their meaning.
void Verifier::CheckStep(const StepNode& step) {
  step_ = &step;
  auto is_item = [](const NodeRef& value) {
    if (As<StringImm>(value) != nullptr) return true;
    const Expr expr = RefExpr(value);
    return expr && expr->dtype.is_integral() && expr->dtype.is_scalar();
  };
  for (const auto& [key, value] : step.operands) {
    if (As<TensorIntrinNode>(value) != nullptr) continue;
    const auto* list = As<Call>(value);
    const bool is_list = list != nullptr && list->op == kListOperand;
    if (is_list ? std::all_of(list->args.begin(), list->args.end(), is_item) : is_item(value))
      continue;
    Problem("verify-trace",
            "operand " + Quoted(key) + " of the step " + Quoted(step.primitive) +
                " is nothing that a trace speaks of",
            "a string, an integer, or a list of those",
            (is_list ? std::string("a list that holds something else")
                     : std::string("a ") + NodeKindName(value->node_kind())));
  }
}

void Verifier::CheckSignature(const FuncNode& func) const {
  const std::string convention = StringAttr(func.attrs, func_attr::kCallingConvention);
  std::vector<DataType> wanted;
  if (convention == convention::kPacked) {
    wanted = {DataType::Handle(), DataType::Handle(), DataType::Int(32), DataType::Handle()};
  } else if (convention == convention::kParallelBody) {
    wanted = {DataType::Handle(), DataType::Int(64), DataType::Int(64)};
  } else if (convention == convention::kUnchecked) {
    wanted = {DataType::Handle(), DataType::Handle(), DataType::Handle(), DataType::Int(32)};
  } else if (!convention.empty() && convention != convention::kPlain &&
             convention != convention::kKernel) {
    Problem("verify-function", "there is no calling convention " + Quoted(convention),
            "`packed`, `parallel_body`, `unchecked`, `kernel` or `plain`");
  }
  std::string expected, found;
  for (const DataType type : wanted) expected += (expected.empty() ? "" : ", ") + type.ToString();
  for (const NodeRef& param : func.params) {
    const auto* var = As<VarNode>(param);
    if (var == nullptr && stage_ == Stage::kFlat) {
      Problem("verify-function", "a parameter is a tensor",
              "variables only, once arguments are bound");
    }
    found += (found.empty() ? "" : ", ") +
             (var != nullptr ? var->dtype.ToString() : std::string("a tensor"));
  }
  if (wanted.empty()) return;
  expected = "(" + expected + ") -> int32";
  found = "(" + found + ") -> " + func.return_type.ToString();
  if (expected != found) {
    Problem("verify-function",
            "the signature is not that of the calling convention " + Quoted(convention), expected,
            found);
  }
}

// A variable that is alone an extent, a stride or the offset of a parameter is bound there (S39).
void Verifier::DefineSymbols(const FuncNode& func) {
  symbols_.clear();
  auto symbol = [&](const Expr& expr) {
    const auto* var = As<VarNode>(expr);
    if (var == nullptr || !symbols_.insert(var).second) return;
    Define(*var, &func, "variable", var->name);
  };
  for (const NodeRef& param : func.params) {
    const auto* buffer = As<BufferNode>(param);
    if (buffer == nullptr) continue;
    for (const Expr& extent : buffer->shape) symbol(extent);
    for (const Expr& stride : buffer->strides) symbol(stride);
    symbol(buffer->elem_offset);
  }
}

void Verifier::EnterOp(const OpNode& op) {
  auto use = [&](const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) UseOp(*tensor);
  };
  if (const auto* scan = As<ScanOp>(&op)) {
    use(scan->init), use(scan->update), use(scan->state), use(scan->inputs);
  } else if (const auto* external = As<ExternOp>(&op)) {
    use(external->inputs);
  } else if (const auto* intrinsic = As<TensorComputeOp>(&op)) {
    use(intrinsic->inputs);
  }
}

void Verifier::UseOp(const TensorNode& tensor) const {
  if (program_ == nullptr || intrinsics_ > 0 || ops_.contains(tensor.op.get())) return;
  Problem("verify-undefined",
          "the tensor " + Quoted(tensor.name()) + " is used before its operation",
          "an operation of the program before its use");
}

}  // namespace

void VerifyModule(const Module& module, Stage stage) {
  Verifier verifier(stage, module.get());
  std::unordered_set<std::string> names;
  for (const Func& func : module->functions) {
    verifier.CheckFunction(*func);
    if (!names.insert(func->name).second) {
      throw Error(Diagnostic{.name = "verify-function",
                             .message = "the module has two functions " + Quoted(func->name),
                             .expected = "names of their own"});
    }
  }
}

void VerifyFunc(const Func& func, Stage stage) { Verifier(stage, nullptr).CheckFunction(*func); }

void VerifyProgram(const ProgramNode& program) {
  Verifier(Stage::kTe, nullptr).CheckProgram(program);
}

}  // namespace lathe::ir
