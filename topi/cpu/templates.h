// All templates: how the scheduler schedules the operators that it knows (topi/anchor.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

enum class Takes {
  // The template schedules all stages of the operator. The result must be an output of the program
  // that no other stage reads, and no other stage may read the stages in between. If other stages
  // read the result, the default schedule is better: it computes them row by row with the operator.
  kOperator,
  // The same. In addition the operator must read only the program's inputs, because the template's
  // tensor intrinsics match the operator's own loads.
  kOperatorOfArguments,
  // The template schedules a contraction, whose sums follow the loops of its elementwise reader,
  // and the contraction's padding.
  kSums,
  // The template schedules all stages of the operator, of which others read only the result. These
  // follow the loops of its elementwise reader.
  kOperatorInReader,
};

struct Template {
  const char* name;         // its knobs are called "<name>.<choice>"
  std::string_view anchor;  // the kind of operator
  Takes takes;
  // The reason why the template cannot schedule the operator whose result is `result`; "" if it
  // can. All extents of the operator are constants above 0.
  std::string (*why_not)(const ir::Op& result, const target::Machine& machine);
  void (*schedule)(const OperatorWork& work);
};

// In the order in which they are tried. To add a template, add one line.
std::span<const Template> Templates();

}  // namespace lathe::topi::cpu
