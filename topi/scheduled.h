// The result of making a schedule: the schedule, and which templates and knobs it used.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "topi/config.h"

namespace lathe::topi {

// How one operator was scheduled. Only operators of kinds with templates are listed.
struct TemplateChoice {
  std::string operation;  // the name of the anchor
  std::string by;         // the template; "" for the default schedule
  // "gemm: ...": the templates for this kind that were tried first, and why they do not fit.
  std::vector<std::string> not_by;
};

struct Scheduled {
  schedule::Schedule schedule;
  std::vector<TemplateChoice> choices;  // in the order of the stages
  std::vector<KnobValue> knobs;         // all that were asked for; for records use Config::Attrs
};

}  // namespace lathe::topi
