// The checks of a plan's steps: one walk that knows, at each step, what is written and bound on
// every way to it. What a block changes is in a log and is undone at its end, so the walk is
// linear.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/graph/check_plan.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/sizes.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

using Kind = PlanStep::Kind;
using Memory = PlanTensor::Memory;

size_t At(int32_t number) { return static_cast<size_t>(number); }

// Which sizes have a value. A size that needs others has one when all of these have.
class SizeFlow {
 public:
  explicit SizeFlow(const Plan& plan) : dependents_(plan.sizes.size()) {
    const std::vector<uint8_t> runs = RunSizes(plan);
    missing_.resize(plan.sizes.size());
    for (size_t i = 0; i < plan.sizes.size(); ++i) {
      if (runs[i] == 0) continue;
      const PlanSize& size = plan.sizes[i];
      if (size.kind == PlanSize::Kind::kRun) {
        missing_[i] = 1;
        continue;
      }
      for (const int32_t operand : {size.a, size.b}) {
        if (runs[At(operand)] == 0) continue;
        dependents_[At(operand)].push_back(static_cast<int32_t>(i));
        ++missing_[i];
      }
    }
  }
  bool Has(int32_t size) const { return missing_[At(size)] == 0; }
  void Bind(int32_t size) {
    --missing_[At(size)];
    size_t next = log_.size();
    log_.push_back(size);
    for (; next < log_.size(); ++next) {
      for (const int32_t dependent : dependents_[At(log_[next])])
        if (--missing_[At(dependent)] == 0) log_.push_back(dependent);
    }
    bound_.push_back(size);
  }
  struct Mark {
    size_t log, bound;
  };
  Mark Now() const { return {log_.size(), bound_.size()}; }
  void UndoTo(const Mark& mark) {
    for (; log_.size() > mark.log; log_.pop_back())
      for (const int32_t dependent : dependents_[At(log_.back())]) ++missing_[At(dependent)];
    for (; bound_.size() > mark.bound; bound_.pop_back()) ++missing_[At(bound_.back())];
  }

 private:
  std::vector<std::vector<int32_t>> dependents_;
  std::vector<int32_t>
      missing_;                 // of each size: the operands without value; of a kRun size: itself
  std::vector<int32_t> log_;    // sizes that got a value, in this order
  std::vector<int32_t> bound_;  // those of them that steps bound
};

class Walk {
 public:
  Walk(const Plan& plan, std::span<const int32_t> roots, std::span<const uint64_t> bytes)
      : plan_(plan),
        roots_(roots),
        sizes_(plan),
        bytes_(bytes),
        missing_(bytes.begin(), bytes.end()) {
    for (size_t i = 0; i < plan.tensors.size(); ++i) {
      const PlanTensor& tensor = plan.tensors[i];
      const bool views = tensor.memory == Memory::kAlias || tensor.memory == Memory::kPrefix;
      units_.push_back(views ? units_[At(tensor.index)] : static_cast<int32_t>(i));
      written_.push_back(tensor.memory == Memory::kInput || tensor.memory == Memory::kConstant);
    }
    is_bound_.resize(plan.sizes.size());
    seen_.resize(plan.tensors.size());
    FindConditions();
  }

  absl::Status Run() {
    const size_t steps = plan_.steps.size();
    if (unbound_) return Malformed("condition", *unbound_, "no step binds its sizes");
    for (size_t i = 0; i <= steps; ++i) {
      while (!blocks_.empty() && blocks_.back().end == i) LATHE_RETURN_IF_ERROR(Close());
      if (i == steps) break;
      LATHE_RETURN_IF_ERROR(Check(i));
    }
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (!IsBelow(plan_.outputs[i], plan_.tensors.size()))
        return Malformed("output", i, "there is no such tensor");
      if (!IsWritten(plan_.outputs[i])) return Malformed("output", i, "no step writes it");
      if (!HasShape(plan_.outputs[i])) return Malformed("output", i, "a size of it is not bound");
    }
    return absl::OkStatus();
  }

 private:
  enum class Part { kThen, kElse, kCondition, kBody };
  struct Block {
    Part part;
    size_t step, end;
    size_t writes;  // where its part of the log begins
    SizeFlow::Mark sizes;
    std::vector<int32_t> before;  // of kElse: what the other block wrote
  };

  // A condition is checked by the last step that binds a size of it; both of its sizes must have a
  // value there.
  void FindConditions() {
    std::vector<size_t> last(plan_.sizes.size());  // of each size: that step + 1; 0: none
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanStep& step = plan_.steps[i];
      if (step.kind == Kind::kBindSize && step.sizes.size() == 1 &&
          IsBelow(step.sizes[0], plan_.sizes.size()))
        last[At(step.sizes[0])] = i + 1;
    }
    const std::vector<uint8_t> runs = RunSizes(plan_);
    for (size_t i = 0; i < plan_.sizes.size(); ++i) {
      const PlanSize& size = plan_.sizes[i];
      if (runs[i] != 0 && size.kind != PlanSize::Kind::kRun)
        last[i] = std::max(last[At(size.a)], last[At(size.b)]);
    }
    for (size_t i = 0; i < plan_.conditions.size(); ++i) {
      const PlanCondition& condition = plan_.conditions[i];
      const size_t at = std::max(last[At(condition.a)], last[At(condition.b)]);
      if (at != 0) conditions_[at - 1].push_back(i);
      // Without such a step: only what the inputs decide.
      else if (!sizes_.Has(condition.a) || !sizes_.Has(condition.b))
        unbound_ = i;
    }
  }

  absl::Status Check(size_t i) {
    const PlanStep& step = plan_.steps[i];
    LATHE_RETURN_IF_ERROR(CheckLists(i));
    switch (step.kind) {
      case Kind::kKernel:
        LATHE_RETURN_IF_ERROR(CheckOneDevice(i));
        break;
      case Kind::kCopy:
        LATHE_RETURN_IF_ERROR(CheckCopy(i));
        break;
      case Kind::kIf:
      case Kind::kLoop:
        return Open(i);
      case Kind::kBindSize:
        return Bind(i);
      default:
        return Malformed("step", i, "its kind is unknown");
    }
    for (size_t k = 0; k < step.buffers.size(); ++k) {
      if (step.writes[k] == 0) LATHE_RETURN_IF_ERROR(CheckRead(i, step.buffers[k]));
    }
    for (const int32_t size : step.sizes)
      if (!sizes_.Has(size)) return Malformed("step", i, "it uses a size that is not bound");
    for (size_t k = 0; k < step.buffers.size(); ++k) {
      if (step.writes[k] == 0) continue;
      if (!HasShape(step.buffers[k])) return Malformed("step", i, "a size of it is not bound");
      Write(step.buffers[k]);
    }
    return absl::OkStatus();
  }

  absl::Status CheckLists(size_t i) const {
    const PlanStep& step = plan_.steps[i];
    if (step.writes.size() != step.buffers.size())
      return Malformed("step", i, "it does not say of each buffer whether it is written");
    if (step.size_names.size() != step.sizes.size())
      return Malformed("step", i, "it does not name each size");
    for (const int32_t size : step.sizes)
      if (!IsBelow(size, plan_.sizes.size())) return Malformed("step", i, "there is no such size");
    for (size_t k = 0; k < step.buffers.size(); ++k) {
      if (!IsBelow(step.buffers[k], plan_.tensors.size()))
        return Malformed("step", i, "there is no such tensor");
      if (step.writes[k] > 1)
        return Malformed("step", i, "whether a buffer is written is neither 0 nor 1");
      const Memory memory = plan_.tensors[At(step.buffers[k])].memory;
      if (step.writes[k] == 1 && memory != Memory::kArena && memory != Memory::kPart)
        return Malformed("step", i, "it writes a tensor that is not in the arena");
    }
    const bool has_blocks = step.kind == Kind::kIf || step.kind == Kind::kLoop;
    if (!has_blocks && (step.first != 0 || step.second != 0))
      return Malformed("step", i, "it has blocks, but is no control flow");
    return absl::OkStatus();
  }

  absl::Status CheckOneDevice(size_t i) const {
    const PlanStep& step = plan_.steps[i];
    for (const int32_t buffer : step.buffers) {
      if (plan_.tensors[At(buffer)].device != plan_.tensors[At(step.buffers[0])].device)
        return Malformed("step", i, "its buffers are on several devices");
    }
    return absl::OkStatus();
  }

  absl::Status CheckCopy(size_t i) const {
    const PlanStep& step = plan_.steps[i];
    if (step.buffers.size() != 2 || step.writes[0] != 0 || step.writes[1] != 1)
      return Malformed("step", i, "a copy reads one tensor and writes another");
    const PlanTensor &from = plan_.tensors[At(step.buffers[0])],
                     &to = plan_.tensors[At(step.buffers[1])];
    if (from.dtype != to.dtype) return Malformed("step", i, "a copy keeps the element type");
    return absl::OkStatus();
  }

  // Of `if` and loops: one bool[].
  absl::Status CheckCondition(size_t i) const {
    const PlanStep& step = plan_.steps[i];
    if (step.buffers.size() != 1 || step.writes[0] != 0 || !step.sizes.empty())
      return Malformed("step", i, "it takes a condition alone");
    const PlanTensor& condition = plan_.tensors[At(step.buffers[0])];
    if (condition.dtype != DataType::Bool() || !condition.shape.empty())
      return Malformed("step", i, "its condition is no bool[]");
    if (condition.device != 0) return Malformed("step", i, "its condition is not on the host");
    return absl::OkStatus();
  }

  absl::Status Open(size_t i) {
    const PlanStep& step = plan_.steps[i];
    LATHE_RETURN_IF_ERROR(CheckCondition(i));
    const size_t outer = blocks_.empty() ? plan_.steps.size() : blocks_.back().end;
    if (step.first < 0 || step.second < 0 || At(step.first) + At(step.second) > outer - i - 1)
      return Malformed("step", i, "its blocks do not end within the block around it");
    if (blocks_.size() == kMostNestedBlocks)
      return Malformed("step", i, "blocks are nested too deeply");
    const bool is_if = step.kind == Kind::kIf;
    if (is_if) LATHE_RETURN_IF_ERROR(CheckRead(i, step.buffers[0]));
    blocks_.push_back({is_if ? Part::kThen : Part::kCondition,
                       i,
                       i + 1 + At(step.first),
                       log_.size(),
                       sizes_.Now(),
                       {}});
    return absl::OkStatus();
  }

  absl::Status Close() {
    Block block = std::move(blocks_.back());
    blocks_.pop_back();
    const PlanStep& step = plan_.steps[block.step];
    const size_t end = block.step + 1 + At(step.first) + At(step.second);
    switch (block.part) {
      case Part::kThen: {
        std::vector<int32_t> wrote = Undo(block);
        blocks_.push_back(
            {Part::kElse, block.step, end, log_.size(), sizes_.Now(), std::move(wrote)});
        break;
      }
      case Part::kElse: {
        const std::vector<int32_t> wrote = Undo(block);
        ++stamp_;
        for (const int32_t unit : block.before) seen_[At(unit)] = stamp_;
        for (const int32_t unit : wrote)
          if (seen_[At(unit)] == stamp_) Write(unit);
        break;
      }
      case Part::kCondition:
        // It runs at least once, so what it wrote stays.
        LATHE_RETURN_IF_ERROR(CheckRead(block.step, step.buffers[0]));
        blocks_.push_back({Part::kBody, block.step, end, log_.size(), sizes_.Now(), {}});
        break;
      case Part::kBody:
        Undo(block);
        break;
    }
    return absl::OkStatus();
  }

  // Returns what the block wrote.
  std::vector<int32_t> Undo(const Block& block) {
    std::vector<int32_t> wrote(log_.begin() + static_cast<ptrdiff_t>(block.writes), log_.end());
    log_.resize(block.writes);
    for (const int32_t unit : wrote) {
      written_[At(unit)] = false;
      if (const int32_t whole = WholeOf(unit); whole >= 0) missing_[At(whole)] += bytes_[At(unit)];
    }
    sizes_.UndoTo(block.sizes);
    return wrote;
  }

  absl::Status Bind(size_t i) {
    const PlanStep& step = plan_.steps[i];
    if (step.buffers.size() != 1 || step.writes[0] != 0 || step.sizes.size() != 1)
      return Malformed("step", i, "it binds one size to an element of one tensor");
    const PlanTensor& tensor = plan_.tensors[At(step.buffers[0])];
    const int bits = tensor.dtype.bits();
    if (!tensor.dtype.is_integral() || tensor.dtype.lanes() != 1 ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64))
      return Malformed("step", i, "it binds a size to something that is no integer");
    if (tensor.device != 0)
      return Malformed("step", i, "it binds a size to a tensor that is not on the host");
    if (step.element < 0) return Malformed("step", i, "there is no such element");
    LATHE_RETURN_IF_ERROR(CheckRead(i, step.buffers[0]));
    const int32_t size = step.sizes[0];
    if (plan_.sizes[At(size)].kind != PlanSize::Kind::kRun)
      return Malformed("step", i, "it binds a size that the inputs decide");
    if (is_bound_[At(size)]) return Malformed("step", i, "another step binds its size");
    is_bound_[At(size)] = true;
    sizes_.Bind(size);
    const auto conditions = conditions_.find(i);
    if (conditions == conditions_.end()) return absl::OkStatus();
    for (const size_t number : conditions->second) {
      const PlanCondition& condition = plan_.conditions[number];
      if (!sizes_.Has(condition.a) || !sizes_.Has(condition.b))
        return Malformed("condition", number, "its sizes are not bound together");
    }
    return absl::OkStatus();
  }

  absl::Status CheckRead(size_t i, int32_t tensor) const {
    if (!IsWritten(tensor))
      return Malformed("step", i, "it reads a tensor that no step before it writes");
    return HasShape(tensor) ? absl::OkStatus() : Malformed("step", i, "a size of it is not bound");
  }
  bool HasShape(int32_t tensor) const {
    for (const int32_t size : plan_.tensors[At(tensor)].shape)
      if (!sizes_.Has(size)) return false;
    // A view needs to know where its tensor lies.
    const int32_t root = roots_[At(tensor)];
    return root == tensor || HasShape(root);
  }
  // -- What is written. A *unit* is what steps write: a tensor with memory of its own, or a part.

  // The tensor of which this unit is a part; -1 if it is none.
  int32_t WholeOf(int32_t unit) const {
    const PlanTensor& tensor = plan_.tensors[At(unit)];
    return tensor.memory == Memory::kPart ? tensor.index : -1;
  }
  bool IsWritten(int32_t tensor) const {
    for (int32_t unit = units_[At(tensor)]; unit >= 0; unit = WholeOf(unit))
      if (written_[At(unit)]) return true;
    return false;
  }
  // A tensor is written, too, when its last part is.
  void Write(int32_t unit) {
    while (unit >= 0 && !written_[At(unit)]) {
      written_[At(unit)] = true;
      log_.push_back(unit);
      const int32_t whole = WholeOf(unit);
      if (whole < 0) return;
      missing_[At(whole)] -= bytes_[At(unit)];
      unit = missing_[At(whole)] == 0 ? whole : -1;
    }
  }

  const Plan& plan_;
  std::span<const int32_t> roots_;
  SizeFlow sizes_;
  std::vector<int32_t> units_;       // of each tensor, the unit whose memory it has
  std::vector<bool> written_;        // of units
  std::span<const uint64_t> bytes_;  // of parts, and of units that have parts
  std::vector<uint64_t> missing_;    // of units that have parts: bytes in no part that is written
  std::vector<int32_t> log_;         // units that were written, in this order
  std::vector<bool> is_bound_;       // of sizes: a step that was seen binds it
  std::unordered_map<size_t, std::vector<size_t>> conditions_;  // by the step that checks them
  std::optional<size_t> unbound_;                               // a condition that no step checks
  std::vector<Block> blocks_;
  std::vector<int32_t> seen_;  // of units: the last intersection that met it
  int32_t stamp_ = 0;
};

}  // namespace

absl::Status CheckSteps(const Plan& plan, std::span<const int32_t> roots,
                        std::span<const uint64_t> bytes) {
  return Walk(plan, roots, bytes).Run();
}

}  // namespace lathe::runtime::graph
