// The parser's state and helpers. Private to ir/text/parser*.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_op.h"
#include "ir/text/lexer.h"
#include "ir/text/parser.h"
#include "ir/text/syntax.h"

namespace lathe::ir::internal {

class Parser {
 public:
  Parser(std::string_view text, const std::string& filename);

  void DefineFree(const std::vector<NodeRef>& free);
  // Throws the same error with the place of the current token. For errors of the factories, which
  // do not know a place.
  [[noreturn]] void Place(const Error& error) const { Fail(Peek(), error.diagnostic()); }
  // Reads `given` lines.
  void Givens();
  void TakeData();
  Ref<const Blob> TakeBlob();
  void ExpectEnd();

  Module ReadModule();
  Func ReadFunc();
  Program ReadProgram();
  Stmt ReadLines();  // up to `}` or the end of the text
  Expr ReadExpr(int level = syntax::kLowest);
  Ref<const StepNode> ReadStep();
  GraphModule ReadGraphModule();
  NodeRef ReadRoot();

 private:
  // Counts the nesting; throws text-too-deep.
  struct Nesting {
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.depth_; }
    Parser& parser_;
  };
  struct Scope {
    explicit Scope(Parser& parser) : parser_(parser) { parser_.OpenScope(); }
    ~Scope() { parser_.CloseScope(); }
    Parser& parser_;
  };

  // Constants without suffix are int64 and float64, not int32 and float32.
  struct Wide {
    explicit Wide(Parser& parser) : parser_(parser), before_(parser.wide_) { parser.wide_ = true; }
    ~Wide() { parser_.wide_ = before_; }
    Parser& parser_;
    const bool before_;
  };

  // -- Tokens.
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool At(std::string_view text) const { return Peek().Is(text); }
  bool AtName(size_t ahead = 0) const;
  const Token& Take();
  bool Accept(std::string_view text);
  const Token& Expect(std::string_view text);
  std::string TakeName(std::string_view what);
  // For places where reserved words are names too.
  std::string TakeWord(std::string_view what) {
    return Peek().kind == TokenKind::kWord ? std::string(Take().text) : TakeName(what);
  }
  std::string TakeString(std::string_view what);
  int64_t TakeInteger(std::string_view what);
  DataType TakeType();
  bool AtType(size_t ahead = 0) const;

  // -- Errors.
  [[noreturn]] void Fail(const Token& at, Diagnostic diagnostic) const;
  [[noreturn]] void Unexpected(std::string_view expected, std::string help = "") const;
  [[noreturn]] void UnknownName(const Token& at, const std::string& name,
                                std::string_view what) const;

  // Sets the node's place in the text and checks the complete node.
  template <class T>
  Ref<const T> Finish(Ref<T> node, const Token& at) {
    Check(*node, at);
    return node;
  }
  void Check(Node& node, const Token& at) const;

  // -- Names.
  void OpenScope() { scopes_.emplace_back(); }
  void CloseScope();
  void Define(const std::string& name, NodeRef node, const Token& at);
  void DefineOp(const std::string& name, const Op& op, const Token& at);
  void DefineIter(const std::string& name, IterVar iter);
  // Null if the name is not defined.
  NodeRef Find(const std::string& name) const;

  // -- Definitions.
  struct TypeSpec {
    bool is_size = false;
    bool has_type = false;
    DataType dtype = DataType::Int(32);
  };
  TypeSpec TakeTypeSpec();
  // `own`: the variable's own name, if the text uses another name for it.
  Var NewVar(const std::string& name, DataType dtype, bool is_size, const Token& at,
             const std::string& own = "");
  Var TakeVarDefinition(const DataType* inferred);
  Buffer TakeBufferDefinition();
  Buffer FinishBuffer(const std::string& name, const Token& at, DataType dtype);
  IterVar TakeIterDefinition(IterKind usual);
  IterVar FinishIter(const std::string& name, const Token& at, TypeSpec spec, IterKind usual);
  NodeRef TakeAnyDefinition();
  NodeRef TakeDefinitionLine();
  void CheckExtents(const Token& at, const std::string& name, const std::vector<Expr>& shape) const;
  Op TakePlaceholder();
  Op TakeCompute();
  NodeRef TakeLabelled(bool intrin);

  // -- Values.
  NodeRef ReadValue();
  Range TakeRange();
  std::vector<Expr> TakeExprList(std::string_view close);
  std::vector<NodeRef> TakeValueList(std::string_view close);
  Dict TakeDict();
  Dict TakeWith();
  Ref<Node> TakeGeneric(NodeKind kind, const std::string* label);
  void TakeField(Node& node, const FieldInfo& field);
  IterVar TakeIterReference();
  NodeRef TakeReference();

  // -- Expressions.
  Expr ReadInfix(Expr left, const Token& start, int level);
  Expr ReadPrefix(int level);
  Expr ReadPrimary();
  Expr ReadWord();
  Expr TakeNumber(bool negative);
  Expr TakeSpecialFloat(bool negative);
  Expr TakeLet();
  Expr TakeCast(const Token& start);
  Expr TakeFunction(const Token& start);
  Expr TakeVector(const Token& start);
  Expr TakeCall(bool statement);
  Expr TakeReduce(const Token& start, const std::string& name, Reducer reducer);
  Expr TakeReduceRest(const Token& start, const std::string& name, Reducer reducer,
                      std::vector<Expr> sources);
  Expr TakeAccess(const Token& start, NodeRef source);
  Expr MakeInfix(NodeKind kind, Expr a, Expr b, const Token& at);
  int TakeLanes();
  bool AtCall() const;
  std::vector<Expr> TakeIndices(Expr* mask);
  // If the types differ, a literal without a suffix takes the type of the other side.
  void Adapt(Expr& a, Expr& b) const;
  Expr AdaptTo(const Expr& expr, DataType dtype) const;

  // -- Statements.
  Stmt ReadBlock();
  Stmt ReadStmt();
  bool TakeHolder(Ref<Node>* holder);
  Stmt TakeFor();
  Stmt TakeIf();
  Stmt TakeStore();
  void TakeBounds(std::vector<Range>* bounds);
  void SetBody(Node& node, Stmt body) const;

  // -- Graphs.
  // A name that a type mentions and that is not defined is a new size.
  struct NewSize {
    Var var;
    const Token* at;
  };
  bool AtGraphModule() const;
  bool AtTupleType() const;
  Ref<const GraphFunc> ReadGraphFunc();
  Ref<const GraphBlock> ReadGraphBlock();
  Ref<const GraphBinding> ReadGraphBinding();
  Ref<const GraphDataType> ReadDataType();
  NodeRef ReadGraphType();
  std::vector<NodeRef> TakeGraphTypes(std::string_view close);
  std::string TakeGraphName(std::string_view what, std::string_view* element = nullptr);
  GraphVar TakeGraphVar();
  GraphVar FindGraphVar(const std::string& name, const Token& at) const;
  GraphVar TakeGraphVarDefinition();
  void DefineGraphVar(const GraphVar& var, const Token& at);
  void DefineNewSize(const std::string& name, const Token& at);
  std::vector<Var> TakeSizes(const std::vector<NewSize>& mentioned);
  template <class F>
  std::vector<NewSize> WithNewSizes(F read);

  NodeRef ReadGraphValue();
  NodeRef TakeFromGraphVar(const Token& start);
  NodeRef TakeGraphCall(const Token& start);
  NodeRef TakeGraphIf(const Token& start);
  NodeRef TakeGraphLoop(const Token& start);
  NodeRef TakeGraphMatch(const Token& start);
  NodeRef TakeGraphConstant(const Token& start);
  NodeRef ReadGraphAttribute();
  std::vector<GraphVar> TakeGraphArgs();

  struct Binding {
    NodeRef node;
    IterVar iter;
  };
  std::string_view text_;
  std::string filename_;
  std::vector<Token> tokens_;
  std::vector<Ref<const Blob>> data_;  // of `given data` lines
  size_t at_ = 0;
  int depth_ = 0;
  bool parameters_ = false;
  bool wide_ = false;
  std::vector<NewSize>* new_sizes_ = nullptr;  // null: unknown names are errors
  size_t new_sizes_scope_ = 0;                 // their place in scopes_
  const Node* last_reduce_of_all_ = nullptr;  // the last Reduce with several values and no `index=`
  std::unordered_map<std::string, std::vector<Binding>> names_;
  std::vector<std::unordered_set<std::string>> scopes_;
  std::unordered_map<const Node*, std::pair<Expr, std::string_view>> float_literals_;
};

// A binary node, not checked and not folded.
Expr NewBinary(NodeKind kind, Expr a, Expr b, Span span);

}  // namespace lathe::ir::internal
