// The memory that a tensor intrinsic's operand is a view of: does it serve?
#pragma once

#include <string>
#include <vector>

#include "arith/analyzer.h"
#include "ir/rewrite.h"
#include "schedule/match_intrin.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

struct OperandMemory {
  const Stage& stage;
  const ir::TensorIntrinNode& intrin;
  const ir::Buffer& operand;  // as the intrinsic declares it
  const IntrinOperand& place;
  const ir::Buffer& buffer;   // the memory
  bool has_layout = false;    // the memory is not laid out by strides
  std::vector<Range> region;  // the part of the tensor that the memory holds
  // Per dimension of the tensor: the memory's stride in elements, and where the operand begins.
  std::vector<Expr> strides, mins;

  // The operand as a view of the memory, with the memory's strides; its address is still to be
  // given. Adds what the intrinsic's variables (strides, offset, data) stand for to `values`.
  // Throws Error "schedule-tensorize-memory" if the memory is not as the intrinsic declares: scope,
  // region, strides, offset, alignment.
  ir::Buffer View(ir::VarMap* values, arith::Analyzer* analyzer) const;

 private:
  void CheckPlace(arith::Analyzer* analyzer) const;
  // The strides of the operand's dimensions; empty if it is compact.
  std::vector<Expr> OperandStrides(ir::VarMap* values, arith::Analyzer* analyzer) const;
  void CheckBeginning(arith::Analyzer* analyzer) const;
  [[noreturn]] void Refuse(std::string what, std::string expected, std::string found,
                           std::string help) const;
};

// As an integer of 64 bits, which strides and offsets are counted in.
inline Expr Index(const Expr& e) { return ir::MakeCast(DataType::Int(64), e); }

}  // namespace lathe::schedule
