// The evaluator's state, shared by its source files. Private to te/evaluator*.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "ir/tensor_op.h"

namespace lathe::te::internal {

[[noreturn]] void Fail(const char* name, std::string message, std::string expected = "",
                       std::string found = "", std::string help = "");

// A tensor's elements: in the caller's memory, or in `bytes`.
struct Storage {
  ir::InterpTensor view;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;
};

// A buffer of exactly this shape. Its strides and offset are variables that the argument binds.
ir::Buffer AnyLayout(const std::string& name, DataType dtype, const std::vector<int64_t>& shape);

class Evaluator {
 public:
  explicit Evaluator(ir::InterpretOptions options) : options_(std::move(options)) {
    options_.tolerate_dropped_loads = true;
  }

  void Run(const std::vector<ir::NodeRef>& args, std::span<const ir::InterpValue> values);

 private:
  using TensorSet = std::unordered_set<const ir::OpNode*>;

  void Bind(const std::vector<ir::NodeRef>& args, std::span<const ir::InterpValue> values);
  void BindVar(const ir::Expr& expr, int64_t value);
  ir::InterpValue ValueOf(const ir::Expr& expr);
  std::vector<int64_t> ShapeOf(const ir::OpNode& op, int64_t output);
  // A scan's operations between its states and its updates, producers first, and the tensors that
  // the scan reads from outside.
  struct ScanParts {
    std::vector<ir::Op> body;
    std::vector<ir::Tensor> outside;
  };
  static ScanParts PartsOf(const ir::ScanOp& op);
  static std::vector<ir::Tensor> NeedsOf(const ir::OpNode& op);
  static std::vector<ir::Op> InOrder(const std::vector<ir::Tensor>& outputs,
                                     const TensorSet& given);
  Storage& StorageOf(const ir::OpNode& op, int64_t output);
  Storage& Fresh(const ir::OpNode& op, int64_t output);
  void EvaluateOp(const ir::Op& op);
  // The results are stored as the outputs of `of`: it is `op` itself, or the tensor compute whose
  // reference is `op`.
  void EvaluateCompute(const ir::ComputeOp& op, const ir::OpNode& of);
  void EvaluateExtern(const ir::ExternOp& op);
  void EvaluateScan(const ir::ScanOp& op);
  bool CopyRows(const Storage& from, Storage& to, int64_t begin, int64_t end) const;
  void StoreResult(const Storage& from, const ir::InterpTensor& to) const;
  void CallOn(const std::string& name, std::vector<ir::NodeRef> params,
              std::vector<ir::InterpValue> values, ir::Stmt body, ir::Dict attrs = {});

  ir::InterpretOptions options_;
  std::unordered_map<const ir::Node*, ir::InterpValue> vars_;
  std::unordered_map<const ir::Node*, ir::Var> var_refs_;
  std::unordered_map<ir::Tensor, std::unique_ptr<Storage>, ir::TensorHash, ir::TensorEqual>
      storage_;
};

}  // namespace lathe::te::internal
