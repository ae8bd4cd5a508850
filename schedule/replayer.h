// Applies the steps of a trace: looks up a step's operands by name and reports errors with their
// place. Internal to schedule/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

// One step while it is applied; knows its place in the trace, for diagnostics.
class Replayer {
 public:
  Replayer(Schedule& schedule, const ir::StepNode& step, size_t number)
      : schedule_(schedule), step_(step), number_(number) {}

  Schedule& schedule() { return schedule_; }

  [[noreturn]] void Fail(std::string name, std::string what, std::string expected,
                         std::string found) const;

  const NodeRef* Operand(std::string_view key) const;
  bool Has(std::string_view key) const { return Operand(key) != nullptr; }

  std::string Text(std::string_view key) const;
  Expr Value(std::string_view key) const;
  int64_t Number(std::string_view key) const;

  // The operand `intrin`: a tensor intrinsic, or the name of a registered one.
  Ref<const ir::TensorIntrinNode> Intrinsic() const;

  Stage& StageNamed(const std::string& name) const;
  Stage& StageOperand() const { return StageNamed(Text(operand::kStage)); }

  // The output of a stage, given by the operands `stage` and `output`.
  Tensor OutputOperand() const;
  Group& GroupOperand() const;
  // The first outputs of the stages that a list names.
  std::vector<Tensor> TensorsOf(std::string_view key) const;

  struct Place {
    Stage* stage;
    IterVar axis;
  };
  Place AxisNamed(const std::string& path) const;
  Place AxisOperand() const { return AxisNamed(Text(operand::kAxis)); }

  std::vector<std::string> Texts(std::string_view key) const;
  std::vector<Expr> Values(std::string_view key) const;
  std::vector<int64_t> Numbers(std::string_view key) const;
  std::vector<IterVar> Axes(Stage& stage) const;

 private:
  const std::vector<NodeRef>& List(std::string_view key, const char* expected) const;

  Schedule& schedule_;
  const ir::StepNode& step_;
  size_t number_;
};

// Applies one step, number `number` of its trace, counted from 1. Throws as Replay does.
void ReplayStep(Schedule& schedule, const ir::StepNode& step, size_t number);

}  // namespace lathe::schedule
