// The generator behind c_source.h, not for vendors: walks over one kernel and keeps the texts of
// operands on its own stack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/intrinsic.h"
#include "ir/module.h"
#include "ir/walk.h"
#include "plugins/sdk/c_dialect.h"
#include "plugins/sdk/c_writer.h"

namespace lathe::sdk::internal {

// Functions that the text needs besides kernels, by name, so that each is written once.
class CHelpers {
 public:
  CHelpers(CDialect& dialect, std::span<const DLTensor* const> constants)
      : dialect_(dialect), constants_(constants) {}
  // `op`: floordiv, floormod, div, mod. The function divides without trapping for any arguments.
  std::string Division(std::string_view op, DataType type);
  std::string QMultiplyShift();
  // The array of constant `index`, whose elements are of type ConstantElement.
  std::string Constant(int64_t index);
  DataType ConstantElement(DataType type);
  std::string ToString() const;
  // The names in the text of the module's functions, by their names in the IR.
  void AddSymbol(const std::string& name, std::string symbol) {
    symbols_[name] = std::move(symbol);
  }
  const std::string* SymbolOf(const std::string& name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &found->second;
  }

 private:
  CDialect& dialect_;
  std::span<const DLTensor* const> constants_;
  std::map<std::string, std::string> functions_, arrays_, symbols_;

  std::string ConstantText(DataType element, uint64_t bits);
};

bool IsKernel(const ir::FuncNode& function);
// The parameters have the names of the IR still.
CFunction DescribeFunction(const ir::FuncNode& function, std::string symbol);

// The value of an expression: the texts of its parts, or the data to make them.
struct CValue {
  DataType type;
  std::vector<std::string> parts;  // empty for ramps and splats until their lanes are needed
  std::string base, stride;        // of a ramp; a splat has no stride
  std::optional<int64_t> stride_value = {};  // if it is a constant
  bool is_index = false;                     // of a ramp: it never overflows
  int depth = 0;                             // of parentheses
  bool is_place = false;                     // parts[0] is the address of an element
  bool is_name = false;                      // of a place: parts[0] is a variable's name
  std::string scope;                         // of a place
  int64_t alignment = 1;                     // of a place, in bytes
  bool is_ramp() const { return !stride.empty(); }
  bool is_splat() const { return parts.empty() && stride.empty() && !base.empty(); }
};

class CEmitter final : public ir::Visitor {
 public:
  CEmitter(CDialect& dialect, CHelpers& helpers, CLines& lines)
      : d_(dialect), helpers_(helpers), out_(lines), names_(dialect) {}
  CKernel Run(const ir::FuncNode& kernel, const std::string& symbol);
  // The same for a function of a host; gives `described` with the names in the text.
  CFunction RunHost(const ir::FuncNode& function, CFunction described);

 protected:
  bool Enter(const ir::Node& node) override;
  void Leave(const ir::Node& node) override;
  void BeforeChild(const ir::Edge& edge) override;
  void AfterChild(const ir::Edge& edge) override;

 private:
  // The memory of a buffer's data variable.
  struct Memory {
    std::string name;
    DataType element;  // of the pointer `name`; void: not typed
    std::string scope;
    int64_t alignment = 1;
    bool is_image = false;
    const ir::Node* parameter = nullptr;  // the parameter that owns the memory
  };
  // One access: the elements it names.
  struct Access {
    const Memory* memory = nullptr;
    std::string pointer;  // to scalars of type `element`
    DataType element;
    int group = 1;  // lanes of one element of the buffer
    CValue index;
    ir::Expr index_expr;
    std::string row;  // of an image
  };

  // c_kernel.cc
  void FindUses(const ir::FuncNode& kernel);
  void DescribeParameters(const ir::FuncNode& kernel);
  void DescribeLaunch(const ir::FuncNode& kernel);
  void DeclareShared(const ir::FuncNode& kernel);
  void TakeExternNames(const ir::FuncNode& function);

  // c_host.cc
  void FindHandles(const ir::FuncNode& function);
  void FindEscapes(const ir::FuncNode& function);
  bool BindsIndex(const ir::Edge& edge) const;
  void DefineHandle(const ir::VarNode& var, CValue value);
  std::vector<COperand> HostOperands(const ir::Call& call, std::vector<CValue>& args, size_t from);
  void CheckArguments(const ir::Call& call, const ir::Intrinsic& known) const;
  void PushOnce(const ir::Call& call, const std::string& text);
  bool EmitHost(const ir::Call& call, std::vector<CValue>& args);

  // c_emitter.cc: values
  static constexpr int kMaxDepth = 24;
  CValue Pop();
  void Push(CValue value);
  void PushText(DataType type, std::string text, int depth);
  int PartsOf(DataType type);       // how many
  DataType PartOf(DataType type);   // the type of each
  void Materialise(CValue* value);  // parts of a ramp or splat
  void Name(CValue* value);         // makes the parts names or constants
  std::string Named(DataType type, const std::string& text);
  static std::string Bare(const std::string& text);  // without the outer parentheses
  std::vector<std::string> RampLanes(CValue ramp);
  std::vector<std::string> Lanes(CValue value);
  CValue FromLanes(DataType type, const std::vector<std::string>& lanes);
  std::string Scalar(CValue value);  // of one lane
  std::string NewName(std::string_view wanted) { return names_.New(wanted); }
  // Calls `f` with each part's type and texts.
  template <class F>
  CValue PerPart(DataType type, std::vector<CValue*> args, F f);

  // c_arith.cc
  std::string IntLiteral(DataType type, int64_t value);
  std::string Wrapping(const char* op, DataType part, const std::string& a, const std::string& b,
                       bool is_index);
  std::string Literal(DataType type, double value);
  std::string Zero(DataType part);
  void EmitBinary(const ir::ExprNode& node, const ir::Operands& operands);
  std::string Binary(ir::NodeKind kind, DataType part, const std::string& a, const std::string& b);
  bool InIndex() const { return !index_.empty() && index_.back(); }
  void EmitDivision(ir::NodeKind kind, const ir::Operands& operands, CValue* a, CValue* b,
                    CValue* out);
  void EmitSelect(const ir::Select& select);
  void EmitShuffle(const ir::Shuffle& shuffle);
  bool IsNonNegative(const ir::Expr& expr, int depth = 0) const;
  int64_t KnownMultiple(const ir::Expr& expr, int depth = 0) const;

  // c_call.cc
  void EmitCall(const ir::Call& call);
  bool EmitMath(const ir::Call& call, std::vector<CValue>& args);
  std::string LdexpPower(DataType power, const std::string& text);
  bool EmitBits(const ir::Call& call, std::vector<CValue>& args);
  bool EmitBitwise(const ir::Call& call, std::vector<CValue>& args);
  void EmitReinterpret(const ir::Call& call, std::vector<CValue>& args);
  void EmitQMultiplyShift(const ir::Call& call, std::vector<CValue>& args);
  bool EmitThreads(const ir::Call& call, std::vector<CValue>& args);
  bool EmitExtern(const ir::Call& call, std::vector<CValue>& args);
  bool EmitIntrinsic(const ir::Call& call, std::vector<CValue>& args);
  // Addresses and scalars to pass to a function.
  std::vector<std::string> Operands(const ir::Call& call, std::vector<CValue>& args, size_t from);
  void PushResult(const ir::Call& call, const std::string& text);
  void EmitArms(const ir::Call& call);
  std::string Math(const std::string& op, DataType part, const std::vector<std::string>& args);

  // c_memory.cc
  const Memory& MemoryOf(const ir::BufferNode& buffer);
  Access PopAccess(const ir::BufferNode& buffer, const std::vector<ir::Expr>& indices, int lanes);
  int64_t AlignmentOf(const Access& access) const;
  bool IsContiguous(const Access& access) const;
  std::string FirstElement(const Access& access) const;       // its index
  std::vector<std::string> ElementsOf(const Access& access);  // an lvalue per lane
  std::string FromMemory(DataType part, const std::string& x);
  std::string ToMemory(DataType part, const std::string& x);
  void EmitLoad(const ir::Load& load);
  void EmitPlace(const ir::Load& load);
  void EmitStore(const ir::Store& store);
  CValue LoadAll(Access& access, DataType type);
  void StoreAll(Access& access, DataType type, CValue value);
  CValue LoadImage(Access& access, DataType type);
  void StoreImage(Access& access, DataType type, CValue value);

  // c_stmt.cc
  void BeginBody(const ir::Edge& edge);
  void BeginFor(const ir::For& loop);
  void BeginAllocate(const ir::Allocate& allocate);
  void BeginConstant(const ir::AllocConst& constant);
  void BeginView(const ir::DeclBuffer& view);
  int64_t ArrayAlignment(const ir::BufferNode& buffer, int64_t count) const;
  void LeaveStmt(const ir::Node& node);
  void Define(const ir::VarNode& var, CValue value);
  [[noreturn]] void NotFlat(const std::string& what) const;

  CDialect& d_;
  CHelpers& helpers_;
  CLines& out_;
  CNames names_;
  CKernel kernel_;
  std::vector<CValue> stack_;
  std::unordered_map<const ir::Node*, CValue> vars_;
  std::unordered_map<const ir::Node*, Memory> memory_;
  std::unordered_map<const ir::Node*, ir::Expr> definitions_;  // of variables that Let binds
  std::unordered_set<const ir::Node*> nonnegative_;            // loop variables that start at 0
  std::unordered_map<const ir::Node*, const ir::BufferNode*> views_;  // the first of a parameter
  std::unordered_map<const ir::Node*, const ir::Node*> roots_;        // data variable -> parameter
  std::unordered_set<const ir::Node*> read_, written_;
  bool host_ = false;                                         // the function is one of a host
  std::unordered_map<const ir::Node*, std::string> used_by_;  // handle -> a call that reads it
  std::unordered_set<const ir::Node*> index_only_;            // IndexOnlyVars of the body
  std::unordered_map<std::string, std::string> wrapped_;      // text -> the same, unsigned
  // The expression that a LetStmt binds or `return` takes, the variable's name, and that of an
  // Evaluate.
  const ir::Node *bound_ = nullptr, *evaluated_ = nullptr;
  std::string bound_name_;
  struct Shared {
    std::string name;
    int64_t alignment = 1;
  };
  std::unordered_map<const ir::Node*, Shared> shared_;  // allocations at the kernel's top
  CDialect::Dynamic dynamic_;
  std::vector<bool> index_;  // for each node being visited: index arithmetic, which never overflows
  ir::Edge edge_;
  size_t nodes_ = 0;          // entered so far
  std::vector<bool> places_;  // for each Load being visited: only its address is wanted
  std::vector<CLines::Captured> arms_;
};

template <class F>
CValue CEmitter::PerPart(DataType type, std::vector<CValue*> args, F f) {
  CValue out{.type = type};
  for (CValue* arg : args) {
    Materialise(arg);
    out.depth = std::max(out.depth, arg->depth + 1);
  }
  const DataType part = PartOf(type);
  const int count = PartsOf(type);
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> texts;
    for (const CValue* arg : args) texts.push_back(arg->parts.at(static_cast<size_t>(i)));
    out.parts.push_back(f(part, texts));
  }
  return out;
}

}  // namespace lathe::sdk::internal
