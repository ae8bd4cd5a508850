#include "ir/verify_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/complete.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

std::string Quoted(std::string_view name) { return "`" + std::string(name) + "`"; }
std::string AKind(const Node& node) { return std::string("a ") + NodeKindName(node.node_kind()); }

// True for expressions of sizes: what an extent is made of.
bool IsExtentKind(NodeKind kind) {
  switch (kind) {
    case NodeKind::kIntImm:
    case NodeKind::kVarNode:
    case NodeKind::kCast:
    case NodeKind::kNot:
    case NodeKind::kSelect:
      return true;
    default:
      return kind >= NodeKind::kAdd && kind <= NodeKind::kOr;
  }
}

class GraphVerifier final : public Visitor {
 public:
  explicit GraphVerifier(const GraphModuleNode& module)
      : Visitor(Sharing::kPerRoot), module_(module) {}

  void Run() {
    for (const auto& func : module_.functions) {
      if (func && !functions_.insert(func->name).second)
        Problem("verify-function", "the module has two functions " + Quoted(func->name),
                "names of their own");
    }
    for (const auto& type : module_.datatypes) {
      if (type) AddDataType(*type);
    }
    Visit(static_cast<const Node&>(module_));
  }

 protected:
  bool Enter(const Node& node) override {
    const Edge edge = std::exchange(edge_, Edge());
    if (heights_.contains(&node)) return false;
    // The attributes of functions and modules may be any nodes; passes give them a meaning.
    if (edge.field != nullptr && edge.field->type == FieldType::kDict &&
        As<GraphCall>(edge.parent) == nullptr) {
      return false;
    }
    if (node.node_kind() == NodeKind::kGraphBinding)
      bindings_.push_back(static_cast<const GraphBinding*>(&node));
    std::string problem = MissingPart(node);
    if (problem.empty()) problem = CheckNode(node);
    if (!problem.empty())
      Problem("verify-malformed", AKind(node) + " does not fit together: " + problem);
    switch (node.node_kind()) {
      case NodeKind::kGraphModuleNode:
      case NodeKind::kGraphDataType:
      case NodeKind::kGraphConstructor:
      case NodeKind::kGraphBinding:
      case NodeKind::kGraphTuple:
      case NodeKind::kGraphTupleGet:
      case NodeKind::kGraphIf:
      case NodeKind::kTensorType:
      case NodeKind::kTupleType:
      case NodeKind::kFuncType:
        return true;
      case NodeKind::kConstant:
        return false;
      case NodeKind::kGraphFunc:
        EnterFunc(static_cast<const GraphFunc&>(node), edge);
        return true;
      case NodeKind::kGraphBlock:
        if (++blocks_ > kMaxGraphDepth) TooDeep("blocks are");
        OpenScope();
        return true;
      case NodeKind::kGraphLoop:
      case NodeKind::kGraphCase:
        OpenScope();
        return true;
      case NodeKind::kGraphVarNode:
        Define(node, "variable", "%" + static_cast<const GraphVarNode&>(node).name);
        return true;
      case NodeKind::kGraphCall:
        CheckAttributes(static_cast<const GraphCall&>(node));
        return true;
      case NodeKind::kGraphInvoke:
        CheckInvoke(static_cast<const GraphInvoke&>(node));
        return true;
      case NodeKind::kGraphConstruct: {
        const auto& construct = static_cast<const GraphConstruct&>(node);
        CheckFields(construct.constructor, construct.args.size());
        return true;
      }
      case NodeKind::kGraphMatch:
        CheckMatch(static_cast<const GraphMatch&>(node));
        return true;
      case NodeKind::kTypeRef:
        FindDataType(static_cast<const TypeRef&>(node).name);
        return true;
      default:
        EnterExpr(node, edge);
        return true;
    }
  }

  void Leave(const Node& node) override {
    switch (node.node_kind()) {
      case NodeKind::kGraphBinding:
        bindings_.pop_back();
        break;
      case NodeKind::kGraphFunc:
        if (&node == func_) func_ = nullptr;
        CloseScope();
        break;
      case NodeKind::kGraphBlock:
        --blocks_;
        CloseScope();
        break;
      case NodeKind::kGraphLoop:
      case NodeKind::kGraphCase:
        CloseScope();
        break;
      case NodeKind::kTensorType:
      case NodeKind::kTypeRef:
      case NodeKind::kTupleType:
      case NodeKind::kFuncType:
        LeaveType(node);
        break;
      default:
        break;
    }
  }

  void BeforeChild(const Edge& edge) override {
    edge_ = edge;
    if (edge.field->role != FieldRole::kRefer) return;
    const Node* used = edge.field->type == FieldType::kList
                           ? edge.field->list_at(*edge.parent, edge.index)
                           : edge.field->node(*edge.parent);
    if (const auto* var = As<GraphVarNode>(used)) Use(*var, "variable", "%" + var->name);
  }

 private:
  // -- Messages.

  [[noreturn]] void Problem(const char* name, std::string message, std::string expected = "",
                            std::string found = "", std::string help = "") const {
    Diagnostic diagnostic{.name = name,
                          .message = std::move(message),
                          .expected = std::move(expected),
                          .found = std::move(found),
                          .help = std::move(help)};
    if (func_ != nullptr) diagnostic.message += " (function " + Quoted(func_->name) + ")";
    if (!bindings_.empty()) diagnostic.notes.push_back("in: " + FirstLine(*bindings_.back()));
    throw Error(std::move(diagnostic));
  }

  static std::string FirstLine(const GraphBinding& binding) {
    try {
      const std::string text = ToText(binding, {.max_data = 0, .max_bytes = 1 << 20});
      return text.substr(0, std::min<size_t>(text.find('\n'), 500));
    } catch (const Error&) {
      return "a line too long to print";
    }
  }

  [[noreturn]] void TooDeep(const std::string& what) const {
    Problem("verify-too-deep", what + " nested too deeply",
            "at most " + std::to_string(kMaxGraphDepth) + " levels", "",
            "make inner blocks functions of the module");
  }

  static std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
    const std::vector<std::string> nearest = NearestNames(name, known);
    return nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?";
  }

  // -- Definitions and uses.

  void OpenScope() { scopes_.push_back({{}, checked_types_.size()}); }
  void CloseScope() {
    for (const Node* what : scopes_.back().defined) live_.erase(what);
    // Types that were checked in the scope may use its sizes.
    for (; checked_types_.size() > scopes_.back().checked; checked_types_.pop_back())
      heights_.erase(checked_types_.back());
    scopes_.pop_back();
  }
  void Define(const Node& what, const char* kind, const std::string& name) {
    if (!defined_.insert(&what).second) {
      Problem("verify-redefined",
              "the " + std::string(kind) + " " + Quoted(name) + " is defined twice",
              "one definition in a module", "",
              "a function or a block that is used twice needs definitions of its own");
    }
    live_.insert(&what);
    scopes_.back().defined.push_back(&what);
  }
  void Use(const Node& what, const char* kind, const std::string& name) const {
    if (live_.contains(&what)) return;
    Problem(
        "verify-undefined",
        "the " + std::string(kind) + " " + Quoted(name) + " is used where it is not defined",
        "a use after its definition, in the same block or in one within it",
        defined_.contains(&what) ? "a use outside of that block" : "no definition before the use");
  }

  void EnterExpr(const Node& node, const Edge& edge) {
    const auto* var = As<VarNode>(&node);
    if (var != nullptr && edge.field != nullptr && edge.field->role == FieldRole::kDefine)
      return Define(*var, "size", var->name);
    if (var != nullptr) return Use(*var, "size", var->name);
    if (attributes_.contains(&node) || IsExtentKind(node.node_kind())) return;
    Problem("verify-malformed", AKind(node) + " stands where it has no meaning",
            "an expression of sizes and integers", AKind(node));
  }

  void LeaveType(const Node& type) {
    int height = 0;
    for (const FieldInfo& field : FieldsOf(type.node_kind())) {
      if (field.type == FieldType::kNode) height = std::max(height, HeightOf(field.node(type)));
      if (field.type != FieldType::kList) continue;
      for (size_t i = 0; i < field.list_size(type); ++i)
        height = std::max(height, HeightOf(field.list_at(type, i)));
    }
    if (++height > kMaxGraphDepth) TooDeep("types are");
    if (heights_.emplace(&type, height).second) checked_types_.push_back(&type);
  }
  int HeightOf(const Node* type) const {
    const auto it = heights_.find(type);
    return it == heights_.end() ? 0 : it->second;
  }

  // -- Functions and operators.

  void EnterFunc(const GraphFunc& func, const Edge& edge) {
    const bool of_module = As<GraphModuleNode>(edge.parent) != nullptr;
    if (of_module) func_ = &func;
    if (of_module && func.name.empty()) Problem("verify-function", "a function has no name");
    if (!of_module && !func.name.empty()) {
      Problem("verify-function", "a function that is a value has the name " + Quoted(func.name),
              "no name", "", "make it a function of the module, or bind it to a variable");
    }
    OpenScope();
  }

  void CheckInvoke(const GraphInvoke& invoke) const {
    if (invoke.callee || functions_.contains(invoke.global)) return;
    const std::vector<std::string> known(functions_.begin(), functions_.end());
    Problem("verify-call", "the module has no function " + Quoted(invoke.global), QuotedList(known),
            Quoted(invoke.global), DidYouMean(invoke.global, known));
  }

  void CheckAttributes(const GraphCall& call) {
    attributes_.clear();
    const auto is_item = [](const Node& value) {
      const NodeKind kind = value.node_kind();
      return kind == NodeKind::kIntImm || kind == NodeKind::kFloatImm ||
             kind == NodeKind::kStringImm;
    };
    const auto is_extent = [](const NodeRef& value) {
      const Expr extent = RefExpr(value);
      return extent && extent->dtype.is_integral() && extent->dtype.is_scalar() &&
             IsExtentKind(extent->node_kind());
    };
    for (const auto& [key, value] : call.attrs) {
      const auto* list = As<Call>(value);
      const bool is_list = list != nullptr && list->op == kListOperand && list->attrs.empty();
      if (is_list) {
        for (const NodeRef& item : list->args) {
          if (!item || (!is_item(*item) && !is_extent(item))) {
            BadAttribute(call, key, "a list that holds " + (item ? AKind(*item) : "nothing"));
          }
          attributes_.insert(item.get());
        }
      } else if (!value || !is_item(*value)) {
        BadAttribute(call, key, value ? AKind(*value) : "nothing");
      }
      attributes_.insert(value.get());
    }
  }
  [[noreturn]] void BadAttribute(const GraphCall& call, const std::string& key,
                                 std::string found) const {
    Problem("verify-attribute",
            "the attribute " + Quoted(key) + " of " + Quoted(call.op) + " cannot be used",
            "a number, a string, or a list of numbers, strings and expressions of sizes",
            std::move(found));
  }

  // -- Data types.

  void AddDataType(const GraphDataType& type) {
    if (!datatypes_.emplace(type.name, &type).second) {
      Problem("verify-datatype", "the module has two data types " + Quoted(type.name),
              "names of their own");
    }
    for (const auto& constructor : type.constructors) {
      if (constructor &&
          !constructors_.emplace(type.name + "." + constructor->name, constructor.get()).second) {
        Problem("verify-datatype",
                "the data type " + Quoted(type.name) + " has two constructors " +
                    Quoted(constructor->name),
                "names of their own");
      }
    }
  }

  const GraphDataType& FindDataType(std::string_view name) const {
    if (const auto it = datatypes_.find(name); it != datatypes_.end()) return *it->second;
    std::vector<std::string> known;
    for (const auto& [other, type] : datatypes_) known.push_back(other);
    Problem("verify-datatype", "the module has no data type " + Quoted(name), QuotedList(known),
            Quoted(name), DidYouMean(name, known));
  }

  void CheckFields(const std::string& name, size_t found) const {
    const auto it = constructors_.find(name);
    if (it == constructors_.end()) {
      FindDataType(SplitConstructor(name).first);
      std::vector<std::string> known;
      for (const auto& [other, constructor] : constructors_) known.push_back(other);
      Problem("verify-datatype", "there is no constructor " + Quoted(name), QuotedList(known),
              Quoted(name), DidYouMean(name, known));
    }
    const size_t expected = it->second->fields.size();
    if (expected == found) return;
    Problem("verify-datatype", "the fields of " + Quoted(name) + " are others",
            std::to_string(expected) + " fields", std::to_string(found));
  }

  void CheckMatch(const GraphMatch& match) const {
    if (match.cases.empty()) Problem("verify-datatype", "a match has no case", "at least one case");
    const std::string_view name = SplitConstructor(match.cases[0]->constructor).first;
    const GraphDataType& type = FindDataType(name);
    std::unordered_set<std::string> seen;
    for (const auto& arm : match.cases) {
      if (!seen.insert(arm->constructor).second)
        Problem("verify-datatype", "a match has two cases " + Quoted(arm->constructor), "one");
      if (SplitConstructor(arm->constructor).first != name) {
        Problem("verify-datatype", "the cases of a match are of two data types",
                "constructors of " + Quoted(name), Quoted(arm->constructor));
      }
      CheckFields(arm->constructor, arm->vars.size());
    }
    for (const auto& constructor : type.constructors) {
      const std::string wanted = type.name + "." + constructor->name;
      if (seen.contains(wanted)) continue;
      Problem("verify-datatype", "a match has no case " + Quoted(wanted),
              "a case for each constructor of " + Quoted(name));
    }
  }

  struct Scope {
    std::vector<const Node*> defined;
    size_t checked;  // the number of checked types before it
  };

  const GraphModuleNode& module_;
  std::unordered_set<std::string> functions_;
  std::map<std::string, const GraphDataType*, std::less<>> datatypes_;
  std::map<std::string, const GraphConstructor*, std::less<>> constructors_;
  const GraphFunc* func_ = nullptr;  // the function of the module around the current node
  std::vector<const GraphBinding*> bindings_;
  Edge edge_;  // the edge to the next node that is entered
  int blocks_ = 0;
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  std::unordered_set<const Node*> defined_, live_;
  std::unordered_set<const Node*> attributes_;  // of the call being visited
  // Types that were checked and whose sizes are still defined. They are not walked again.
  std::unordered_map<const Node*, int> heights_;
  std::vector<const Node*> checked_types_;
};

}  // namespace

void VerifyGraph(const GraphModule& module) { GraphVerifier(*module).Run(); }

}  // namespace lathe::ir
