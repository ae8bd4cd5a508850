#include "backends/llvm/overlap.h"

#include <algorithm>
#include <map>
#include <vector>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace lathe::llvm_backend {
namespace {

using llvm::LoadInst;

constexpr int64_t kLine = 64;          // bytes of the vectors considered, and of a cache line
constexpr size_t kMostGroups = 32;     // per block: addresses are compared with each group's
constexpr ptrdiff_t kMostLoads = 128;  // per block: each is compared with the stores

// Loads of one type at constant distances from each other, in the block's order.
struct Group {
  struct Member {
    LoadInst* load;
    int64_t offset;  // bytes from the first one's address
  };
  std::vector<Member> members;
  size_t writes = 0;  // in the block before the first load
};

// A load that replaces loads of a group, by its offset.
struct Kept {
  llvm::Align align;
  llvm::Value* made = nullptr;  // once it is in the block
};
using KeptLoads = std::map<int64_t, Kept>;

bool IsWide(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<LoadInst>(&instruction);
  if (load == nullptr || !load->isSimple()) return false;
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
  return type != nullptr && type->getElementType()->getScalarSizeInBits() >= 8 &&
         type->getPrimitiveSizeInBits() == 8 * kLine;
}

class BlockOverlaps {
 public:
  BlockOverlaps(llvm::AAResults& aliases, llvm::ScalarEvolution& evolution)
      : aliases_(aliases), evolution_(evolution) {}

  bool Run(llvm::BasicBlock& block) {
    std::vector<Group> done;
    for (llvm::Instruction& instruction : block) {
      if (IsWide(instruction)) Add(llvm::cast<LoadInst>(&instruction));
      // A load before this write must not be joined with a load after it.
      if (instruction.mayWriteToMemory()) {
        writes_.push_back(&instruction);
        for (auto group = open_.begin(); group != open_.end();) {
          const bool touched = std::any_of(
              group->members.begin(), group->members.end(),
              [&](const Group::Member& member) { return Writes(&instruction, member.load); });
          if (touched) {
            done.push_back(std::move(*group));
            group = open_.erase(group);
          } else {
            ++group;
          }
        }
      }
    }
    done.insert(done.end(), open_.begin(), open_.end());
    open_.clear();
    writes_.clear();
    bool changed = false;
    for (const Group& group : done) changed |= Join(group);
    return changed;
  }

 private:
  bool Writes(llvm::Instruction* write, LoadInst* load) {
    return llvm::isModSet(aliases_.getModRefInfo(write, llvm::MemoryLocation::get(load)));
  }

  void Add(LoadInst* load) {
    const llvm::SCEV* address = evolution_.getSCEV(load->getPointerOperand());
    for (Group& group : open_) {
      LoadInst* first = group.members[0].load;
      if (first->getType() != load->getType() || first->getAAMetadata() != load->getAAMetadata())
        continue;
      const auto* distance = llvm::dyn_cast<llvm::SCEVConstant>(
          evolution_.getMinusSCEV(address, evolution_.getSCEV(first->getPointerOperand())));
      if (distance == nullptr) continue;
      // The load may move to the place of the group's first load.
      if (std::any_of(writes_.begin() + static_cast<ptrdiff_t>(group.writes), writes_.end(),
                      [&](llvm::Instruction* write) { return Writes(write, load); }))
        continue;
      group.members.push_back({load, distance->getAPInt().getSExtValue()});
      return;
    }
    if (open_.size() < kMostGroups) open_.push_back({{{load, 0}}, writes_.size()});
  }

  // Chooses the offsets that are loaded: the first, and then from each one the farthest that leaves
  // no gap.
  static KeptLoads KeptOf(const Group& group) {
    KeptLoads all, kept;
    for (const Group::Member& member : group.members)
      all.insert({member.offset, {member.load->getAlign()}});
    for (auto at = all.begin(); at != all.end();) {
      kept.insert(*at);
      auto next = std::next(at);
      while (next != all.end() && std::next(next) != all.end() &&
             std::next(next)->first <= at->first + kLine)
        ++next;
      at = next;
    }
    return kept;
  }

  bool Join(const Group& group) {
    KeptLoads kept = KeptOf(group);
    if (kept.size() == group.members.size()) return false;
    const auto* type = llvm::cast<llvm::FixedVectorType>(group.members[0].load->getType());
    const int64_t bytes = kLine / static_cast<int64_t>(type->getNumElements());
    for (const Group::Member& member : group.members) {
      if (member.offset % bytes != 0) return false;
    }
    for (const auto& [load, offset] : group.members) {
      llvm::IRBuilder<> b(load);
      // The kept load at `at`; it is emitted where it is first needed.
      auto whole = [&, load = load, offset = offset](KeptLoads::iterator at) {
        auto& [align, made] = at->second;
        if (made == nullptr) {
          llvm::Value* address = load->getPointerOperand();
          if (at->first != offset)
            address =
                b.CreatePtrAdd(address, b.getInt64(static_cast<uint64_t>(at->first - offset)));
          LoadInst* here = b.CreateAlignedLoad(load->getType(), address, align);
          here->setAAMetadata(load->getAAMetadata());
          made = here;
        }
        return made;
      };
      const auto above = kept.lower_bound(offset);
      llvm::Value* value = nullptr;
      if (above->first == offset) {
        value = whole(above);
      } else {
        const auto below = std::prev(above);
        std::vector<int> lanes;
        const auto count = static_cast<int64_t>(type->getNumElements());
        for (int64_t lane = 0; lane < count; ++lane) {
          const int64_t in_below = (offset - below->first) / bytes + lane;
          const int64_t in_above = (offset - above->first) / bytes + lane;
          lanes.push_back(static_cast<int>(in_below < count ? in_below : count + in_above));
        }
        llvm::Value* low = whole(below);
        value = b.CreateShuffleVector(low, whole(above), lanes);
      }
      load->replaceAllUsesWith(value);
      evolution_.forgetValue(load);
      load->eraseFromParent();
    }
    return true;
  }

  llvm::AAResults& aliases_;
  llvm::ScalarEvolution& evolution_;
  std::vector<Group> open_;
  std::vector<llvm::Instruction*> writes_;  // of the block so far
};

}  // namespace

llvm::PreservedAnalyses OverlapPass::run(llvm::Function& function,
                                         llvm::FunctionAnalysisManager& analyses) {
  if (!llvm::Triple(function.getParent()->getTargetTriple()).isX86())
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    const ptrdiff_t loads = std::count_if(block.begin(), block.end(), IsWide);
    if (loads < 3 || loads > kMostLoads) continue;
    auto& aliases = analyses.getResult<llvm::AAManager>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    changed |= BlockOverlaps(aliases, evolution).Run(block);
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace lathe::llvm_backend
