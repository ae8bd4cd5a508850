#include "backends/llvm/interleave.h"

#include <algorithm>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace lathe::llvm_backend {
namespace {

using llvm::Instruction;

// A processor overlaps shorter chains by itself, and its scheduler has no room for more chains at
// once. The limit on long chains bounds compile time: each load is compared with each store.
constexpr size_t kFewestSteps = 8, kMostSteps = 128, kMostChains = 8;

// The computation of one stored value: the store, and all instructions of its block that lead to
// it, in order.
struct Chain {
  llvm::StoreInst* store = nullptr;
  std::vector<Instruction*> steps;               // without the store
  size_t arithmetic = 0;                         // vector operations among them
  size_t live = 0;                               // the most vectors alive at once
  llvm::DenseSet<const llvm::Value*> invariant;  // vectors from outside
};

class BlockInterleaver {
 public:
  BlockInterleaver(llvm::BasicBlock& block, llvm::AAResults& aliases, size_t registers)
      : block_(block), aliases_(aliases), registers_(registers) {
    size_t place = 0;
    for (Instruction& instruction : block_) place_[&instruction] = place++;
  }

  bool Run() {
    bool changed = false;
    std::vector<Chain> group;
    std::vector<llvm::StoreInst*> stores;
    for (Instruction& instruction : block_) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) stores.push_back(store);
    }
    for (llvm::StoreInst* store : stores) {
      Chain chain = ChainOf(store);
      const bool wanted = chain.arithmetic >= kFewestSteps && chain.steps.size() <= kMostSteps;
      if (!group.empty() && (!wanted || !Joins(group, chain))) {
        changed |= Reorder(group);
        group.clear();
      }
      if (wanted) group.push_back(std::move(chain));
    }
    return Reorder(group) || changed;
  }

 private:
  bool Here(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction != nullptr && instruction->getParent() == &block_ &&
           !llvm::isa<llvm::PHINode>(instruction) && done_.count(instruction) == 0;
  }

  // Empty if the stored value is not a vector, or depends on an instruction that must not move.
  Chain ChainOf(llvm::StoreInst* store) const {
    Chain chain;
    chain.store = store;
    if (!store->getValueOperand()->getType()->isVectorTy() || store->isVolatile() ||
        store->isAtomic())
      return chain;
    llvm::DenseSet<Instruction*> seen;
    std::vector<const Instruction*> open = {store};
    while (!open.empty()) {
      const Instruction* user = open.back();
      open.pop_back();
      for (llvm::Value* operand : user->operands()) {
        if (!Here(operand)) {
          if (operand->getType()->isVectorTy()) chain.invariant.insert(operand);
          continue;
        }
        auto* step = llvm::cast<Instruction>(operand);
        if (!seen.insert(step).second) continue;
        if (step->mayHaveSideEffects() || (step->mayReadFromMemory() && !IsPlainLoad(step)))
          return {store, {}, 0, 0, {}};
        chain.steps.push_back(step);
        open.push_back(step);
      }
    }
    std::sort(chain.steps.begin(), chain.steps.end(),
              [&](Instruction* a, Instruction* b) { return place_.lookup(a) < place_.lookup(b); });
    Measure(chain);
    return chain;
  }

  static bool IsPlainLoad(const Instruction* step) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(step);
    return load != nullptr && load->isSimple();
  }

  // Counts the steps of arithmetic, and how many of the chain's vectors are alive at once.
  static void Measure(Chain& chain) {
    llvm::DenseMap<const Instruction*, size_t> last;
    for (size_t i = 0; i < chain.steps.size(); ++i) {
      for (const llvm::Value* operand : chain.steps[i]->operands()) {
        if (const auto* used = llvm::dyn_cast<Instruction>(operand)) last[used] = i;
      }
    }
    std::vector<size_t> ending(chain.steps.size() + 1);
    size_t live = 0;
    for (size_t i = 0; i < chain.steps.size(); ++i) {
      live -= ending[i];
      const Instruction* step = chain.steps[i];
      if (!step->getType()->isVectorTy()) continue;
      if (!llvm::isa<llvm::LoadInst>(step)) ++chain.arithmetic;
      const auto at = last.find(step);
      ++live;
      ++ending[at == last.end() ? chain.steps.size() : at->second];
      chain.live = std::max(chain.live, live);
    }
  }

  // True if `chain` may advance together with the chains of the group. Its loads then move before
  // their stores, and no other instruction between them may touch memory.
  bool Joins(const std::vector<Chain>& group, const Chain& chain) {
    if (group.size() == kMostChains) return false;
    llvm::DenseSet<const llvm::Value*> invariant = chain.invariant;
    size_t live = chain.live;
    for (const Chain& other : group) {
      live += other.live;
      invariant.insert(other.invariant.begin(), other.invariant.end());
    }
    // Some constants are read from memory and need no register.
    if (live + std::min<size_t>(invariant.size(), registers_ / 4) > registers_) return false;
    for (const Chain& other : group) {
      const auto stored = llvm::MemoryLocation::get(other.store);
      for (const Instruction* step : chain.steps) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(step);
        if (load != nullptr && !aliases_.isNoAlias(llvm::MemoryLocation::get(load), stored))
          return false;
      }
    }
    llvm::DenseSet<const Instruction*> moved;
    auto add = [&](const Chain& part) {
      moved.insert(part.steps.begin(), part.steps.end());
      moved.insert(part.store);
    };
    std::for_each(group.begin(), group.end(), add);
    add(chain);
    for (const Instruction* at = First(group, chain); at != chain.store; at = at->getNextNode()) {
      if (at->mayReadOrWriteMemory() && moved.count(at) == 0) return false;
    }
    return true;
  }

  const Instruction* First(const std::vector<Chain>& group, const Chain& chain) const {
    const Instruction* first = chain.steps.front();
    for (const Chain& other : group) {
      if (place_.lookup(other.steps.front()) < place_.lookup(first)) first = other.steps.front();
    }
    return first;
  }

  // Moves the group to the place of its first step: one step of each chain in turn, then the
  // stores.
  bool Reorder(const std::vector<Chain>& group) {
    if (group.size() < 2) return false;
    Instruction* last = const_cast<Instruction*>(First(group, group[0]))->getPrevNode();
    llvm::DenseSet<const Instruction*> placed;
    auto place = [&](Instruction* instruction) {
      if (!placed.insert(instruction).second) return;
      if (last == nullptr)
        instruction->moveBefore(block_, block_.begin());
      else
        instruction->moveAfter(last);
      last = instruction;
    };
    size_t longest = 0;
    for (const Chain& chain : group) longest = std::max(longest, chain.steps.size());
    for (size_t i = 0; i < longest; ++i) {
      for (const Chain& chain : group) {
        if (i < chain.steps.size()) place(chain.steps[i]);
      }
    }
    for (const Chain& chain : group) place(chain.store);
    done_.insert(placed.begin(), placed.end());
    return true;
  }

  llvm::BasicBlock& block_;
  llvm::AAResults& aliases_;
  size_t registers_;
  llvm::DenseMap<const Instruction*, size_t> place_;  // position in the block before the pass
  llvm::DenseSet<const Instruction*> done_;           // already moved
};

}  // namespace

llvm::PreservedAnalyses InterleavePass::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  auto& machine = analyses.getResult<llvm::TargetIRAnalysis>(function);
  auto& aliases = analyses.getResult<llvm::AAManager>(function);
  const unsigned registers =
      machine.getNumberOfRegisters(machine.getRegisterClassForType(/*Vector=*/true));
  bool changed = false;
  for (llvm::BasicBlock& block : function)
    changed |= BlockInterleaver(block, aliases, registers).Run();
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace lathe::llvm_backend
