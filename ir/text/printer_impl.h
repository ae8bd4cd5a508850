// The printer's machine: a stack of items to print, so that deep nodes need heap, not C++ stack.
// Private to ir/text/printer*.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_op.h"
#include "ir/text/printer.h"
#include "ir/text/syntax.h"

namespace lathe::ir::internal {

// The nodes with identity (variables, buffers, iteration variables, operations, tensor intrinsics)
// that `root` uses and does not define. Each comes after those that it uses itself.
std::vector<const Node*> FreeDefinitions(const Node& root);
// True if nodes of this kind have identity: two nodes with equal contents are different.
bool HasIdentity(NodeKind kind);
// True if all required children exist and fit together.
bool IsSound(const Node& node);

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}
  std::string Run(const Node& root);

 private:
  enum class What : uint8_t {
    kText,
    kExpr,    // with `level` as the least precedence
    kValue,   // any node, at a place that allows all kinds
    kDefine,  // a variable (level 1: without `int32`), a buffer, or an iteration variable (level 2:
              // without `reduce`)
    kTupleReduce,  // all values of a reduction
    kDefinition,   // a complete line: a word and the definition
    kStmt,         // level 1: the last of its block
    kStmts,        // the lines of a block
    kBlock,        // { lines }
    kGeneric,      // Kind(field=value, ...)
    kFunc,
    kNewline,
    kBlankLine,
    kIndent,
    kDedent,
    kOpenScope,
    kCloseScope,
    kParameters,  // level 1: from here on shapes may introduce variables; 0: no longer
    kWide,        // level 1: from here on constants without suffix have 64 bits; -1: no longer
    kGraphType,
    kGraphBlock,
    kGraphBinding,
    kGraphFunc,
    kNewSizes,  // of a function or a binding, after the types that mention them
    kGraphAttribute,
  };
  struct Item {
    What what;
    int level;
    const Node* node;
    std::string text;
  };

  // Queue what a handler wants to print, in order.
  void Text(std::string text) { pending_.push_back({What::kText, 0, nullptr, std::move(text)}); }
  void Put(What what, const Node* node = nullptr, int level = 0) {
    pending_.push_back({what, level, node, {}});
  }
  void Expression(const Node* node, int level = 0) { Put(What::kExpr, node, level); }
  template <class T>
  void Expressions(const std::vector<Ref<const T>>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i != 0) Text(", ");
      Put(What::kValue, list[i].get());
    }
  }
  template <class T>
  void Definitions(const std::vector<Ref<const T>>& list, int level = 0) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i != 0) Text(", ");
      Put(What::kDefine, list[i].get(), level);
    }
  }
  void Handle(const Item& item);
  void Value(const Node* node);
  void GivenData(const Node& root);
  void Generic(const Node& node, std::string_view skip = {});
  void GenericField(const Node& node, const FieldInfo& field);
  void Dictionary(const Dict& dict);
  void With(const Dict& dict);
  void Bounds(const Expr& min, const Expr& extent);
  void Define(const Node& node, int level);
  void DefineBuffer(const BufferNode& buffer);
  void DefineIterVar(const IterVarNode& iter, IterKind usual);
  // Prints the first part of the root, or puts it on the stack.
  void Begin(const Node& root);
  void Definition(const Node& node);
  void TagAndAttrs(const OpNode& op);

  void PrintExpr(const Node* node, int level);
  void PrintCall(const Call& call, bool statement);
  void PrintReduce(const Reduce& reduce, bool all_values);
  void PrintAccess(const Node* source, const std::vector<Expr>& indices, const Expr& mask);

  void PrintStmt(const Node* node, bool last);
  void PrintStmts(const Node* node);
  void PrintFor(const For& loop);

  void PrintFunc(const FuncNode& func);
  void PrintModule(const ModuleNode& module);
  void PrintProgram(const ProgramNode& program);
  void PrintStep(const StepNode& step);

  void PrintGraphType(const Node* type);
  void PrintGraphBlock(const GraphBlock* block);
  void PrintGraphBinding(const GraphBinding* binding);
  void PrintGraphFunc(const GraphFunc* func);
  void PrintGraphModule(const GraphModuleNode& module);
  void PrintDataType(const GraphDataType& type);
  void PrintGraphValue(const Node& value);
  void PrintGraphCall(const GraphCall& call);
  void PrintGraphLoop(const GraphLoop& loop);
  void PrintGraphMatch(const GraphMatch& match);
  void PrintGraphAttribute(const Node* value);
  void PrintArgs(std::string open, const std::vector<GraphVar>& args);
  void DefineGraphVar(const GraphVarNode& var);
  void DefineSizes(const std::vector<Var>& sizes);
  void PrintNewSizes(const Node& owner);
  void PrintSizes(const std::vector<Var>& sizes);
  std::string SizeText(const VarNode& size);

  // Names. A name is unique among those in scope.
  const std::string& Bind(const Node* node, std::string_view wanted);
  const std::string& NameOf(const Node* node);
  static std::string WantedName(const Node& node);
  bool IsTaken(const std::string& name, int64_t outputs) const;
  std::string TensorName(const TensorNode& tensor);
  bool IsNamed(const Node* node) const { return names_.contains(node); }
  void CloseScope();

  struct Shadow {
    const Node* node;
    bool had_name;
    std::string previous;
  };

  PrintOptions options_;
  std::string out_;
  std::vector<Item> stack_, pending_;
  std::string within_;  // the function or operation that was begun last
  int depth_ = 0;
  bool parameters_ = false;
  int wide_ = 0;            // graphs around: constants without suffix have 64 bits
  size_t next_number_ = 0;  // the next name of a graph's variable that has none
  // Sizes that the types being printed have not mentioned yet, and those that they have.
  std::unordered_set<const Node*> new_sizes_;
  std::vector<const Node*> mentioned_sizes_;
  std::unordered_map<const Node*, std::string> names_;  // not quoted
  std::unordered_set<std::string> live_;
  std::unordered_map<std::string, size_t> last_suffix_;
  std::vector<std::vector<Shadow>> scopes_;
};

}  // namespace lathe::ir::internal
