// All templates: what the scheduler makes of an operator that it knows (topi/anchor.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

enum class Takes {
  // All stages of the operator, by the template alone. What it gives is an output of the program
  // and nobody reads the stages in between; readers are better off with the default schedule, which
  // computes them row by row with it.
  kOperator,
  // The same; its tensor intrinsics match the operator's own loads, so that inputs are arguments or
  // stages of their own.
  kOperatorOfArguments,
  // A contraction, whose sums follow the loops of its elementwise reader, and what it pads.
  kSums,
};

struct Template {
  const char* name;         // its knobs are called "<name>.<choice>"
  std::string_view anchor;  // the kind of operator
  Takes takes;
  // Why it cannot schedule the operator that gives `result`, whose extents are constants above 0;
  // "" where it can.
  std::string (*why_not)(const ir::Op& result, const target::Machine& machine);
  void (*schedule)(const OperatorWork& work);
};

// In the order in which they are tried. A new template is one line.
std::span<const Template> Templates();

}  // namespace lathe::topi::cpu
