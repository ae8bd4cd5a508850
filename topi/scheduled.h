// What making a schedule gives, beside the schedule.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "topi/config.h"

namespace lathe::topi {

// What became of an operator that templates exist for.
struct TemplateChoice {
  std::string operation;  // the name of the anchor
  std::string by;         // the template; "" for the default schedule
  // "gemm: ...": of the templates for its kind that were tried before and do not fit, why.
  std::vector<std::string> not_by;
};

struct Scheduled {
  schedule::Schedule schedule;
  std::vector<TemplateChoice> choices;  // in the order of the stages
  std::vector<KnobValue> knobs;  // all that were asked for; Config::Attrs has them for a record
};

}  // namespace lathe::topi
