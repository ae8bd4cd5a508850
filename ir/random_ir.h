// Random sound IR for tests: every node kind, deterministic for each seed. Sound means that
// CheckNode accepts it and that names are defined where they are used. It may fail when it runs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_op.h"

namespace lathe::ir {

class RandomIr {
 public:
  explicit RandomIr(uint64_t seed) : engine_(seed) {}

  Module RandomModule();
  Func RandomFunc(const std::string& name);
  Program RandomProgram();
  GraphModule RandomGraphModule();
  // Made of the variables and buffers in scope (none at first).
  Stmt RandomStmt(int depth);
  Expr RandomExpr(DataType dtype, int depth);

 private:
  size_t Pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(engine_); }
  bool Chance(int percent) { return Pick(100) < static_cast<size_t>(percent); }
  template <class T>
  const T& OneOf(const std::vector<T>& list) {
    return list[Pick(list.size())];
  }
  std::string RandomName();
  std::string RandomString();
  DataType RandomScalarType();
  Expr Constant(DataType dtype);
  Expr Leaf(DataType dtype);
  Expr Index(int depth) { return RandomExpr(DataType::Int(Chance(80) ? 32 : 64), depth); }
  Expr VectorExpr(DataType dtype, int depth);
  Expr RandomCall(DataType dtype, int depth);
  Expr Access(DataType dtype, int depth);
  std::vector<Expr> Indices(size_t rank, int lanes, int depth);
  Range RandomRange(int depth);
  Buffer RandomBuffer();
  Stmt LeafStmt();
  Stmt BufferStmt(int depth);  // one that defines a buffer
  Dict RandomDict();
  Reducer RandomReducer(DataType dtype);
  Op RandomCompute(int number);
  Op RandomScan(int number);
  Op RandomExtern(int number);
  Op RandomTensorCompute(int number);

  GraphVar RandomGraphVar(int depth);
  Expr RandomExtent();
  NodeRef RandomGraphType(int depth);
  Dict RandomGraphAttrs();
  std::vector<GraphVar> RandomGraphArgs();
  NodeRef RandomGraphValue(int depth);
  Ref<const GraphBlock> RandomGraphBlock(int depth);
  Ref<const GraphFunc> RandomGraphFunc(const std::string& name, int depth);

  std::mt19937_64 engine_;
  std::vector<Var> vars_;
  std::vector<Buffer> buffers_;
  std::vector<Tensor> tensors_;
  std::vector<GraphVar> values_;
  std::vector<Var> sizes_;
};

}  // namespace lathe::ir
