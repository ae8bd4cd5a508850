// Makes one random program. Its stages are in files by kind (*_stages.cc). Internal to tests/prove.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "te/operation.h"
#include "tests/prove/random.h"
#include "tests/prove/random_program.h"
#include "tests/prove/values.h"

namespace lathe::prove {

// A dimension: its extent as an expression, and the greatest value of the extent.
struct Dim {
  ir::Expr extent;
  int64_t most = 1;
};
using Dims = std::vector<Dim>;

// A tensor that a stage may read.
struct Source {
  ir::Tensor tensor;
  Dims dims;
  double bound = kInput;
};

class Generator {
 public:
  Generator(uint64_t seed, const std::vector<Extent>& extents) : random_(seed), given_(extents) {}

  TestProgram Make();

 private:
  // -- Shapes.

  Dim Choose(size_t rank, size_t position);
  // Returns the extent itself, or the given value that replaces it.
  Dim Take(Extent extent);
  Dim NewSmall(std::initializer_list<int64_t> values);
  DataType index_type() const { return DataType::Int(wide_index_ ? 64 : 32); }
  ir::Expr Index(int64_t value) const { return ir::Int(value, index_type()); }
  static te::Shape ShapeOf(const Dims& dims);
  static bool SameDims(const Dims& a, const Dims& b);
  static bool IsConstant(const Dim& dim) { return ir::AsConstInt(dim.extent) != nullptr; }

  // -- Values.

  Source NewInput(Dims dims, DataType dtype);
  Value Read(const Source& source, std::vector<ir::Expr> indices) {
    return {te::At(source.tensor, std::move(indices)), source.bound};
  }
  // The index of that dimension, computed through values beyond 32 bits (S29). Only for
  // `wide_index_`.
  ir::Expr Scattered(const ir::Expr& index, const Dim& dim);
  // Another value to combine with at `indices` (of `dims`): an existing tensor, a broadcast input,
  // an index or a constant.
  Value Operand(const Dims& dims, const te::Indices& indices, DataType like);
  // Returns `value`, perhaps changed, combined and converted.
  Value Finishing(const Dims& dims, const te::Indices& i, Value value);

  // -- Stages. Each reads one tensor of the pool (usually the newest) and adds its own to the pool.
  // Returns false if the tensor does not suit.

  void AddStage();
  void Note(const char* feature);
  std::string NextName() { return "T" + std::to_string(stages_++); }
  void Push(ir::Tensor tensor, Dims dims, double bound) {
    pool_.push_back({std::move(tensor), std::move(dims), bound});
  }
  // Adds a stage that computes `body` over `dims`. Its bound is that of the value that `body`
  // returns.
  void Map(const Dims& dims, const std::function<Value(const te::Indices&)>& body,
           std::string_view tag = "");

  void Elementwise(const Source& from);
  bool Permuted(const Source& from);  // transposed or reversed
  bool Reshaped(const Source& from);  // the last two dimensions as one
  bool Gather(const Source& from);    // rows by number
  bool Pair(const Source& from);      // two outputs of one operation
  bool Extern(const Source& from);    // a statement written by hand

  bool Stencil(const Source& from);      // neighbours, zero outside
  bool Halo(const Source& from);         // a padded copy, then a stencil that stays within it
  bool Convolution(const Source& from);  // a filter along one dimension, strides, zero padding

  // The dimensions to reduce, and the axes for that. The tensor is read at `at`.
  struct Axes {
    std::vector<ir::IterVar> axes;
    std::vector<size_t> kept;  // the other dimensions
    std::vector<ir::Expr> at;  // null for kept dimensions
    Dims dims;                 // of the result
    int64_t count = 1;
    // Does the first axis's range depend on the result's last dimension? Elements further on have
    // more terms or fewer.
    enum class Dependent { kNo, kMore, kFewer } dependent = Dependent::kNo;
  };
  Axes ChooseAxes(const Source& from);
  // The axes for the element `i` of the result.
  static std::vector<ir::IterVar> AxesOf(const Axes& axes, const te::Indices& i);
  static std::vector<ir::Expr> Fill(const Axes& axes, const te::Indices& i);
  ir::Expr Where(const Axes& axes);  // a condition over the axes, or none
  bool Reduction(const Source& from);
  bool ArgReduction(const Source& from);
  bool Matmul(const Source& from);

  bool Recurrence(const Source& from);  // a scan over dimension 0

  // -- The whole.

  TestProgram Finish();

  Random random_;
  const std::vector<Extent>& given_;
  TestProgram program_;
  std::vector<Source> pool_, extra_;
  std::vector<ir::Tensor> inputs_;
  std::vector<ir::Tensor> hidden_;  // computed, but not to be read by others: the parts of scans
  int stages_ = 0;
  bool big_ = false, wide_index_ = false;
};

}  // namespace lathe::prove
