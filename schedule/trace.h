// The trace: every primitive is recorded as a step that prints, parses and replays.
//
// Steps refer to stages and axes by name, never by address: stages by Stage::name, axes as
// "stage.axis".
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// Appends a step. `results` are the new names that it introduced.
void Record(ScheduleNode& schedule, std::string primitive, std::vector<std::string> results,
            Dict operands);
// "C.i.outer"
std::string AxisPath(const Stage& stage, const IterVar& axis);
Expr AxisOperand(const Stage& stage, const IterVar& axis);
NodeRef AxesOperand(const Stage& stage, const std::vector<IterVar>& axes);

// Applies the steps in order. Throws Error ("trace-..."), which names the step; `schedule` keeps
// the earlier steps' changes.
void Replay(Schedule& schedule, const ir::List<ir::StepNode>& trace);

// The program file of a schedule: operations, arguments (tensors, and size variables that the
// caller passes), trace. The operations are the user's, so that replaying the trace gives the
// schedule again.
Program ToProgram(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                  Dict attrs = {});
struct Loaded {
  Schedule schedule;
  std::vector<NodeRef> args;
  std::string name;
};
Loaded FromProgram(const Program& program);

}  // namespace lathe::schedule
