// Control flow, groups of sizes, and lifetimes of a plan.
#include <algorithm>

#include "base/planted_graphs.h"
#include "runtime/graph/resolved.h"
#include "runtime/graph/sizes.h"

namespace lathe::runtime::graph {
namespace {

using Kind = PlanStep::Kind;
using Memory = PlanTensor::Memory;
using Op = Instruction::Op;

size_t At(int32_t number) { return static_cast<size_t>(number); }

// Branches and jumps in place of blocks.
class Programmer {
 public:
  explicit Programmer(ResolvedPlan* out) : out_(*out), plan_(out->plan) {}

  void Run() {
    const auto steps = static_cast<int32_t>(plan_.steps.size());
    int32_t group = 0;
    for (int32_t i = 0; i <= steps; ++i) {
      while (!blocks_.empty() && blocks_.back().end == i) Close();
      if (i == steps) break;
      const PlanStep& step = plan_.steps[At(i)];
      switch (step.kind) {
        case Kind::kKernel:
          Emit(DeviceOfStep(plan_, step) == 0 ? Op::kKernel : Op::kLaunch, i);
          break;
        case Kind::kCopy:
          Emit(Op::kCopy, i);
          break;
        case Kind::kBindSize:
          Emit(Op::kBind, i, ++group);
          break;
        case Kind::kIf: {
          const int32_t branch = Emit(Op::kBranch, i);
          blocks_.push_back({Part::kThen, i, i + 1 + step.first, branch, 0});
          break;
        }
        case Kind::kLoop:
          blocks_.push_back({Part::kCondition, i, i + 1 + step.first, 0, Next()});
          break;
      }
    }
  }

 private:
  enum class Part { kThen, kElse, kCondition, kBody };
  struct Block {
    Part part;
    int32_t step, end;
    int32_t open;   // the instruction whose target is the block's end
    int32_t begin;  // of a loop
  };

  int32_t Next() const { return static_cast<int32_t>(out_.program.size()); }
  int32_t Emit(Op op, int32_t step, int32_t target = 0) {
    out_.program.push_back({op, step, target});
    return Next() - 1;
  }
  void Close() {
    const Block block = blocks_.back();
    blocks_.pop_back();
    const PlanStep& step = plan_.steps[At(block.step)];
    const int32_t end = block.step + 1 + step.first + step.second;
    switch (block.part) {
      case Part::kThen: {
        const int32_t jump = Emit(Op::kJump, block.step);
        out_.program[At(block.open)].target = Next();
        blocks_.push_back({Part::kElse, block.step, end, jump, 0});
        break;
      }
      case Part::kCondition: {
        const int32_t branch = Emit(Op::kBranch, block.step);
        blocks_.push_back({Part::kBody, block.step, end, branch, block.begin});
        break;
      }
      case Part::kBody:
        Emit(Op::kJump, block.step, block.begin);
        out_.program[At(block.open)].target = Next();
        break;
      case Part::kElse:
        out_.program[At(block.open)].target = Next();
        break;
    }
  }

  ResolvedPlan& out_;
  const Plan& plan_;
  std::vector<Block> blocks_;
};

void FindRoots(ResolvedPlan* out) {
  out->has_parts.resize(out->plan.tensors.size());
  for (size_t i = 0; i < out->plan.tensors.size(); ++i) {
    const PlanTensor& tensor = out->plan.tensors[i];
    const bool part = tensor.memory == Memory::kPart;
    const bool view = part || tensor.memory == Memory::kAlias || tensor.memory == Memory::kPrefix;
    out->roots.push_back(view ? out->roots[At(tensor.index)] : static_cast<int32_t>(i));
    out->whole.push_back(!view ||
                         (tensor.memory == Memory::kAlias && out->whole[At(tensor.index)] != 0));
    out->offsets.push_back(view ? out->offsets[At(tensor.index)] + tensor.offset : 0);
    if (part) out->has_parts[At(out->roots[i])] = 1;
  }
}

// Everything is in the group of the last step that binds a size which it needs.
void FindGroups(ResolvedPlan* out) {
  const Plan& plan = out->plan;
  out->groups.resize(1);
  std::vector<int32_t> size_groups(plan.sizes.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].kind != Kind::kBindSize) continue;
    size_groups[At(plan.steps[i].sizes[0])] = static_cast<int32_t>(out->groups.size());
    out->groups.push_back({static_cast<int32_t>(i), {}, {}, {}, {}});
  }
  const std::vector<uint8_t> runs = RunSizes(plan);
  for (size_t i = 0; i < plan.sizes.size(); ++i) {
    if (runs[i] == 0 || plan.sizes[i].kind == PlanSize::Kind::kRun) continue;
    size_groups[i] = std::max(size_groups[At(plan.sizes[i].a)], size_groups[At(plan.sizes[i].b)]);
    out->groups[At(size_groups[i])].sizes.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < plan.conditions.size(); ++i) {
    const PlanCondition& condition = plan.conditions[i];
    const int32_t group = std::max(size_groups[At(condition.a)], size_groups[At(condition.b)]);
    out->groups[At(group)].conditions.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    int32_t group = 0;
    for (const int32_t size : plan.tensors[i].shape) group = std::max(group, size_groups[At(size)]);
    if (At(out->roots[i]) != i) group = std::max(group, out->tensor_groups[At(out->roots[i])]);
    out->tensor_groups.push_back(group);
    out->groups[At(group)].tensors.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    if (step.kind != Kind::kKernel && step.kind != Kind::kCopy) continue;
    int32_t group = 0;
    for (const int32_t size : step.sizes) group = std::max(group, size_groups[At(size)]);
    for (const int32_t tensor : step.buffers)
      group = std::max(group, out->tensor_groups[At(tensor)]);
    out->groups[At(group)].steps.push_back(static_cast<int32_t>(i));
  }
}

class Lifetimes {
 public:
  explicit Lifetimes(ResolvedPlan* out) : out_(*out), plan_(out->plan) {}

  void Run() {
    out_.lifetimes.resize(plan_.tensors.size());
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanStep& step = plan_.steps[i];
      const auto now = static_cast<int32_t>(i);
      while (!loops_.empty() && loops_.back().end < now) loops_.pop_back();
      if (step.kind == Kind::kLoop) loops_.push_back({now, now + step.first + step.second});
      for (const int32_t buffer : step.buffers) Use(buffer, now);
      // A loop reads its condition after the block that computes it.
      if (step.kind == Kind::kLoop) Use(step.buffers[0], now + step.first);
    }
  }
  // Until the outputs are copied.
  void Keep(size_t root) { out_.lifetimes[root].last = static_cast<int32_t>(plan_.steps.size()); }

 private:
  struct Loop {
    int32_t begin, end;
  };
  // What was written before a loop is needed in each of its rounds, so until its end.
  void Use(int32_t tensor, int32_t now) {
    const bool itself = Planted(PlantedGraphBug::kViewIsNoUse);
    Lifetime& life = out_.lifetimes[At(itself ? tensor : out_.roots[At(tensor)])];
    if (life.first < 0) life.first = now;
    int32_t last = now;
    for (const Loop& loop : loops_) {
      if (life.first >= loop.begin || Planted(PlantedGraphBug::kLifeIgnoresRounds)) continue;
      last = loop.end;
      break;
    }
    if (Planted(PlantedGraphBug::kLifeEndsEarly)) now = last = std::max(life.first, last - 1);
    life.last = std::max({life.last, last, now});
  }

  ResolvedPlan& out_;
  const Plan& plan_;
  std::vector<Loop> loops_;  // around the step, the outermost first
};

}  // namespace

void FindFlow(ResolvedPlan* resolved) {
  const Plan& plan = resolved->plan;
  Programmer(resolved).Run();
  FindRoots(resolved);
  FindGroups(resolved);
  Lifetimes lifetimes(resolved);
  lifetimes.Run();
  resolved->direct.assign(plan.tensors.size(), -1);
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const size_t tensor = At(plan.outputs[i]), root = At(resolved->roots[tensor]);
    const bool unused = resolved->direct[root] < 0 || Planted(PlantedGraphBug::kSecondOutputLost);
    // The memory of an output need not be aligned as parts are.
    const bool direct = plan.tensors[root].memory == Memory::kArena && unused &&
                        resolved->whole[tensor] != 0 && resolved->has_parts[root] == 0 &&
                        resolved->tensor_groups[tensor] == resolved->tensor_groups[root];
    if (direct) resolved->direct[root] = static_cast<int32_t>(i);
    if (!direct && !Planted(PlantedGraphBug::kOutputNotKept)) lifetimes.Keep(root);
    resolved->outputs.push_back({plan.outputs[i], direct});
  }
}

}  // namespace lathe::runtime::graph
