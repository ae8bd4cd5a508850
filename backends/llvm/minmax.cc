#include "backends/llvm/minmax.h"

#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"

namespace lathe::llvm_backend {
namespace {

using llvm::Value;

constexpr size_t kMostVisited = 200;

llvm::IntrinsicInst* MinMax(Value* value) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  const bool is = call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::maxnum ||
                                      call->getIntrinsicID() == llvm::Intrinsic::minnum);
  return is ? call : nullptr;
}

// Proves that values are never NaN. While the incoming values of a phi are examined, the phi is
// assumed to be a number: the proof is by induction over the loop's iterations.
class Numbers {
 public:
  bool Contains(Value* value) {
    trail_.clear();
    assumed_.clear();
    visited_ = 0;
    return Proven(value);
  }

 private:
  bool Proven(Value* value) {
    using namespace llvm::PatternMatch;  // NOLINT: m_Value and others
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return match(constant, m_NonNaN());
    if (assumed_.contains(value)) return true;
    // This also limits failed proofs: shared values may be reachable by many paths.
    if (++visited_ > kMostVisited) return false;
    const size_t mark = trail_.size();
    trail_.push_back(value);
    assumed_.insert(value);
    if (Follows(value)) return true;
    // The proof failed: conclusions that assumed this value are withdrawn.
    for (; trail_.size() > mark; trail_.pop_back()) assumed_.erase(trail_.back());
    return false;
  }

  bool Follows(Value* value) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      return llvm::all_of(phi->incoming_values(), [&](Value* from) { return Proven(from); });
    if (llvm::IntrinsicInst* call = MinMax(value))
      return Proven(call->getArgOperand(0)) || Proven(call->getArgOperand(1));
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      if (IsMadeHere(select)) return Proven(select->getFalseValue());
      return Proven(select->getTrueValue()) && Proven(select->getFalseValue());
    }
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) {
      const bool first = llvm::all_of(shuffle->getShuffleMask(), [&](int lane) {
        return lane >= 0 && lane < static_cast<int>(llvm::cast<llvm::FixedVectorType>(
                                                        shuffle->getOperand(0)->getType())
                                                        ->getNumElements());
      });
      return first && Proven(shuffle->getOperand(0));
    }
    if (auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(value))
      return Proven(element->getVectorOperand());
    return false;
  }

  // x > y ? x : y
  static bool IsMadeHere(const llvm::SelectInst* select) {
    const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(select->getCondition());
    return compare != nullptr && compare->getOperand(0) == select->getTrueValue() &&
           compare->getOperand(1) == select->getFalseValue() &&
           (compare->getPredicate() == llvm::FCmpInst::FCMP_OGT ||
            compare->getPredicate() == llvm::FCmpInst::FCMP_OLT);
  }

  size_t visited_ = 0;
  std::vector<Value*> trail_;
  llvm::DenseSet<Value*> assumed_;
};

}  // namespace

llvm::PreservedAnalyses MinMaxPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!llvm::Triple(function.getParent()->getTargetTriple()).isX86())
    return llvm::PreservedAnalyses::all();
  Numbers numbers;
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      llvm::IntrinsicInst* call = MinMax(&instruction);
      if (call == nullptr) continue;
      Value *x = call->getArgOperand(0), *number = call->getArgOperand(1);
      if (!numbers.Contains(number)) {
        std::swap(x, number);
        if (!numbers.Contains(number)) continue;
      }
      llvm::IRBuilder<> b(call);
      const bool larger = call->getIntrinsicID() == llvm::Intrinsic::maxnum;
      Value* better = larger ? b.CreateFCmpOGT(x, number) : b.CreateFCmpOLT(x, number);
      Value* result = b.CreateSelect(better, x, number);
      result->takeName(call);
      call->replaceAllUsesWith(result);
      call->eraseFromParent();
      changed = true;
    }
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace lathe::llvm_backend
